/** Which orders are in the index Held. */
import { expect, test } from 'vitest';
import { heldKeyOf } from '#aws/store/held-key.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { newOrder } from '../support/orders.ts';

const nowMs = Date.UTC(2026, 0, 1);

/** Its first step is held for a minute, and it may not be claimed before this instant. */
function held(notBefore: number): ProcessRecord {
  const { record } = newOrder('one', nowMs);
  const hold = { since: nowMs, until: nowMs + 60_000, before: { state: 'NotStarted' } } as const;
  const progress = { state: 'Held', gate: 'concurrency', ...hold } as const;
  const [first, ...rest] = record.steps;
  if (first === undefined) throw new Error('the order has no step');
  return { ...record, notBefore, isHeld: true, steps: [{ ...first, progress }, ...rest] };
}

test('an order that waits for an agent is in the index', () => {
  const key = { HeldFor: 'paint#normal', HeldTurn: `-#0${nowMs}` };
  expect(heldKeyOf(held(nowMs + 60_000))).toEqual(key);
  expect(heldKeyOf(held(nowMs))).toEqual(key);
});

test('an order that cools down is not: it would be started in vain, in the turn of another one', () => {
  expect(heldKeyOf(held(nowMs + 600_000))).toEqual({});
});
