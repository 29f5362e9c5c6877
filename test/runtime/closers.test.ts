import { expect, test } from 'vitest';
import { closers } from '#runtime/node/closers.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

function opened() {
  const clock = virtualClock();
  const said: string[] = [];
  const open = closers({
    clock,
    withinMs: 1_500,
    onFailure: (name, error) => said.push(`${name}: ${error instanceof Error && error.message}`),
  });
  const note = (name: string) => open.add(name, () => void said.push(name));
  return { clock, said, open, note };
}

test('the part that was opened last is closed first', async () => {
  const { clock, said, open, note } = opened();
  for (const name of ['store', 'server']) note(name);
  await open.closeAll();
  expect(said).toEqual(['server', 'store']);
  // A timer would keep the process.
  expect(clock.pending()).toBe(0);
});

test('a part that fails to close is reported, and the others are closed', async () => {
  const { said, open, note } = opened();
  note('store');
  open.add('server', () => Promise.reject(new Error('no')));
  await open.closeAll();
  expect(said).toEqual(['server: no', 'store']);
});

test('a part that hangs is reported and abandoned when the time is over', async () => {
  const { clock, said, open } = opened();
  open.add('server', () => new Promise(() => {}));
  let isDone = false;
  void open.closeAll().then(() => {
    isDone = true;
  });
  await clock.advance(1_499);
  expect([isDone, said]).toEqual([false, []]);
  await clock.advance(1);
  expect([isDone, said]).toEqual([true, ['server: It took too long to close.']]);
});

test('a part that is opened after the close is closed at once', async () => {
  const { said, open, note } = opened();
  await open.closeAll();
  note('server');
  await settled();
  expect(said).toEqual(['server']);
});
