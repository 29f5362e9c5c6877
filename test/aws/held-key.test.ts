/** Which orders are in the index Held. */
import { expect, test } from 'vitest';
import { heldKeyOf } from '#aws/store/held-key.ts';
import type { GateOfAgent } from '#core/model/hold.ts';
import { agentName } from '#core/model/ids.ts';
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

/** Its steps wait for agents of their own, by these gates. */
function heldBy(gates: readonly GateOfAgent[], revision: number): ProcessRecord {
  const { steps, ...record } = held(nowMs);
  const hold = { since: nowMs, until: nowMs + 60_000, before: { state: 'NotStarted' } } as const;
  const waiting = steps.map((step, at) => {
    const gate = gates[at];
    const progress =
      gate === undefined ? step.progress : ({ state: 'Held', gate, ...hold } as const);
    return { ...step, agent: agentName(`agent-${at}`), progress };
  });
  return { ...record, revision, steps: waiting };
}

test('an order with several held steps is in the index for each of them, one after the other, as it is written (R24)', () => {
  const agents = [1, 2, 3, 4].map((revision) => heldKeyOf(heldBy(['limit', 'limit'], revision)));
  const [first, second] = ['agent-0#normal', 'agent-1#normal'];
  expect(agents.map(({ HeldFor }) => HeldFor)).toEqual([second, first, second, first]);
});

test.each<[GateOfAgent, GateOfAgent, string]>([
  ['circuit', 'concurrency', 'agent-1#normal'],
  ['limit', 'drained', 'agent-0#normal'],
])('with a step held by %s and one by %s, it is there for the one whose calls go on', (...of) => {
  const [first, second, agent] = of;
  for (const revision of [1, 2, 3, 5]) {
    expect(heldKeyOf(heldBy([first, second], revision))).toMatchObject({ HeldFor: agent });
  }
});

test('a step whose circuit is open is in the index after one in four writes, so that it can be the probe', () => {
  const gates: readonly GateOfAgent[] = ['limit', 'circuit', 'limit'];
  const revisions = Array.from({ length: 12 }, (_, at) => at + 1);
  const agents = revisions.map((revision) => heldKeyOf(heldBy(gates, revision)).HeldFor);
  const steps = agents.map((agent) => Number(agent?.match(/\d/)?.[0]));
  expect(steps).toEqual([2, 0, 2, 1, 0, 2, 0, 1, 2, 0, 2, 1]);
});
