/** Calls of the ledger that come in one turn of the event loop: they share one transaction. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { Ledger, type Verdict } from '#suppliers/ledger.ts';
import { tempDir } from './scenario.ts';

const applied = (): Verdict => ({ kind: 'applied', answer: '"done"' });
const callOf = (key: string) => ({
  service: 'payment' as const,
  key,
  fingerprint: key,
  job: { orderId: 'o-1', amountCents: 5, output: {} },
});

function open() {
  const path = join(tempDir(), 'ledger.sqlite');
  const ledger = new Ledger(path, () => 7);
  onTestFinished(() => ledger.close());
  return { path, ledger };
}

test('they take effect in the order in which they came, and once for each key', async () => {
  const { ledger } = open();
  const answers = await Promise.all([
    ledger.perform(callOf('a'), applied),
    ledger.perform(callOf('a'), () => ({ kind: 'declined', answer: 'no' })),
    ledger.undo('payment', 'a'),
    ledger.perform(callOf('a'), applied),
  ]);
  const done = { kind: 'applied', answer: '"done"' };
  expect(answers).toEqual([done, done, true, { kind: 'tombstoned' }]);
  expect(ledger.entries()).toMatchObject([{ key: 'a', state: 'undone', calls: 3, effects: 1 }]);
});

test('when their transaction fails, each of them is refused and none has an effect', async () => {
  const { ledger } = open();
  const calls = [
    ledger.perform(callOf('a'), applied),
    ledger.perform(callOf('b'), () => {
      throw new Error('The disk is full.');
    }),
  ];
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(ledger.entries()).toEqual([]);
  expect(await ledger.perform(callOf('a'), applied)).toMatchObject({ kind: 'applied' });
});

test('an answer comes after its effect is durable, also when the ledger is closed', async () => {
  const { path, ledger } = open();
  const answer = ledger.perform(callOf('a'), applied);
  ledger.close();
  expect(await answer).toMatchObject({ kind: 'applied' });
  const file = new DatabaseSync(path, { readOnly: true });
  onTestFinished(() => file.close());
  expect(file.prepare('SELECT key FROM entries').all()).toMatchObject([{ key: 'a' }]);
});
