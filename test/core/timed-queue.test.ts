/** Items that wait for an instant. */
import { expect, test } from 'vitest';
import { timedQueue } from '#core/flow/timed-queue.ts';
import { virtualClock } from '../support/virtual-clock.ts';

function queue(max = 100) {
  const clock = virtualClock();
  const start = clock.now();
  const seen: string[] = [];
  const open = timedQueue<string>({
    clock,
    max,
    onTime: (items) => void seen.push(...items.map((item) => `${item} ${clock.now() - start}`)),
  });
  return { ...open, clock, seen, add: (item: string, ms: number) => open.add(item, start + ms) };
}

test('items come at their instants in every order of additions', async () => {
  const { add, clock, seen } = queue();
  for (const [item, ms] of [
    ['c', 300],
    ['a', 100],
    ['b', 200],
  ] as const)
    add(item, ms);
  await clock.advance(250);
  expect(seen).toEqual(['a 100', 'b 200']);
  await clock.advance(50);
  expect(seen.at(-1)).toBe('c 300');
});

test('items of one instant come together, in the order in which they were added', async () => {
  const { add, clock, seen } = queue();
  for (const item of ['x', 'y', 'z']) add(item, 10);
  await clock.advance(10);
  expect(seen).toEqual(['x 10', 'y 10', 'z 10']);
});

test('an instant in the past comes at once', async () => {
  const { add, clock, seen } = queue();
  add('late', -50);
  await clock.advance(0);
  expect(seen).toEqual(['late 0']);
});

test('however many items wait, there is one timer', async () => {
  const { add, clock } = queue();
  for (let ms = 50; ms > 0; ms -= 1) add(`${ms}`, ms);
  expect(clock.pending()).toBe(1);
  await clock.advance(20);
  expect(clock.pending()).toBe(1);
});

test('a timer that rings early leaves its item waiting', async () => {
  const { add, clock, seen } = queue();
  add('item', 100);
  clock.jump(-40);
  await clock.advance(100);
  expect(seen).toEqual([]);
  await clock.advance(40);
  expect(seen).toEqual(['item 100']);
});

test('a full queue takes nothing more until an item has come', async () => {
  const { add, clock, seen, size } = queue(2);
  expect([add('a', 10), add('b', 20), add('c', 5)].map((timed) => timed !== null)).toEqual([
    true,
    true,
    false,
  ]);
  expect(size()).toBe(2);
  await clock.advance(10);
  expect(add('d', 20)).not.toBeNull();
  await clock.advance(10);
  expect(seen).toEqual(['a 10', 'b 20', 'd 20']);
});

test('a closed queue has no timer, and takes nothing', async () => {
  const { add, close, move, clock, seen } = queue();
  const timed = add('a', 10);
  close();
  expect(clock.pending()).toBe(0);
  expect(add('b', 10)).toBeNull();
  if (timed !== null) move(timed, 20);
  expect(clock.pending()).toBe(0);
  await clock.advance(100);
  expect(seen).toEqual([]);
});

test('an item that is removed does not come, and one that is moved comes at its new instant', async () => {
  const { add, remove, move, clock, seen } = queue();
  const [gone, later, earlier] = [add('gone', 10), add('later', 20), add('earlier', 90)];
  if (gone === null || later === null || earlier === null) throw new Error('there is room');
  remove(gone);
  move(later, clock.now() + 60);
  move(earlier, clock.now() + 30);
  await clock.advance(100);
  expect(seen).toEqual(['earlier 30', 'later 60']);
});
