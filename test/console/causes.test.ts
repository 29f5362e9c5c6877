/** Causes of orders in Error, the health of agents, and texts as sentences. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callsMin, healthOf } from '#console/now/agent-health.ts';
import { causeGroups, causeKey, causeOf, causeQuery } from '#console/now/causes.ts';
import { faultTitle } from '#console/order/fault-words.ts';
import { wayBack } from '#console/parts/state-words.ts';
import { sentence } from '#text/sentence.ts';
import { summary } from './scenario.ts';

const fault = {
  code: 'declined',
  message: 'no',
  effect: 'none',
  step: 'charge',
  action: 'perform',
} as const;

const stopped = fc
  .record({
    workflow: fc.constantFrom('house', 'boat'),
    fault: fc.option(
      fc.record({
        code: fc.constantFrom('declined', 'exhausted', 'a:b', '/'),
        step: fc.constantFrom(null, 'charge', 'ship'),
        action: fc.constantFrom('perform' as const, 'undo' as const, null),
      }),
      { nil: null },
    ),
    updatedAt: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-01-01T00:00:07.000Z'),
  })
  .map(({ fault: own, ...more }) =>
    summary('o', { ...more, fault: own === null ? null : { ...fault, ...own } }),
  );

test('every order is in the group of its cause, and in no other', () => {
  fc.assert(
    fc.property(fc.array(stopped, { maxLength: 40 }), (orders) => {
      const numbered = orders.map((order, at) => ({ ...order, orderId: `o${at}` }));
      const groups = causeGroups(numbered);
      expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(orders.length);
      for (const { cause, key, count, latest } of groups) {
        const own = numbered.filter(
          (order) =>
            order.workflow === cause.workflow &&
            (order.fault?.step ?? null) === cause.step &&
            (order.fault?.code ?? null) === cause.code &&
            (order.fault?.action ?? null) === cause.action,
        );
        expect(own).toHaveLength(count);
        expect(own.every((order) => causeKey(causeOf(order)) === key)).toBe(true);
        expect(own.every(({ updatedAt }) => updatedAt <= latest.updatedAt)).toBe(true);
      }
      expect(groups.map(({ count }) => count)).toEqual(
        groups.map(({ count }) => count).toSorted((a, b) => b - a),
      );
    }),
  );
});

test('the listing of a cause asks for its workflow, its step and its code', () => {
  const { fault: none } = summary('o');
  expect(none).toBeNull();
  expect(causeQuery(causeOf(summary('o', { fault })))).toEqual({
    ...{ state: 'Error', workflow: 'house', step: 'charge', fault: 'declined' },
  });
  expect(causeQuery(causeOf(summary('o')))).toMatchObject({ step: '', fault: '' });
});

const circuit = (state: 'closed' | 'open' | 'half-open' | 'recovering') => ({
  ...{ state, epoch: 0, since: null, probeAt: null },
});
const calls = (succeeded: number, failed: number, timedOut = 0) =>
  healthOf({ succeeded, failed, timedOut, state: 'healthy', circuit: circuit('closed') });

test.each([
  ['draining', 'Draining'],
  ['drained', 'Drained'],
] as const)('an agent that is %s says so, with any outcome of its calls', (state, word) => {
  const counts = { succeeded: 100, failed: 50, timedOut: 0 };
  expect(healthOf({ ...counts, state, circuit: circuit('open') }).word).toBe(word);
});

test.each([
  [calls(0, 0), 'No calls', 'idle'],
  [calls(callsMin - 1, 0), 'Few calls', 'idle'],
  [calls(1, 1), 'Few calls', 'idle'],
  [calls(1, 4), 'Failing', 'bad'],
  [calls(0, 0, 5), 'Failing', 'bad'],
  [calls(callsMin, 0), 'Healthy', 'good'],
  [calls(990, 10), 'Healthy', 'good'],
  [calls(989, 11), 'Degraded', 'back'],
  [calls(989, 0, 11), 'Degraded', 'back'],
  [calls(950, 50), 'Degraded', 'back'],
  [calls(949, 51), 'Failing', 'bad'],
  [calls(65, 35), 'Failing', 'bad'],
  [
    healthOf({
      succeeded: 999,
      failed: 0,
      timedOut: 0,
      state: 'healthy',
      circuit: circuit('open'),
    }),
    'Circuit open',
    'bad',
  ],
  [
    healthOf({
      succeeded: 999,
      failed: 0,
      timedOut: 0,
      state: 'healthy',
      circuit: circuit('half-open'),
    }),
    'Circuit half open',
    'back',
  ],
  [
    healthOf({
      succeeded: 999,
      failed: 0,
      timedOut: 0,
      state: 'healthy',
      circuit: circuit('recovering'),
    }),
    'Circuit recovering',
    'back',
  ],
] as const)('%j', (health, word, tone) => {
  expect(health).toMatchObject({ word, tone });
});

test.each([
  ['declined the request', 'Declined the request.'],
  ['The card was declined.', 'The card was declined.'],
  ['  gone!  ', 'gone!'],
  ['Step reserve timed out', 'Step reserve timed out.'],
  ['payment_intent unknown', 'payment_intent unknown.'],
  ['timeout', 'timeout.'],
  ['It said "no."', 'It said "no."'],
  ['why?', 'why?'],
  ['', ''],
])('%j as a sentence is %j', (text, expected) => {
  expect(sentence(text)).toBe(expected);
});

test('every text of a service ends with a full stop before another sentence', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const words = sentence(text);
      if (words !== '') expect(words).toMatch(/[.!?…]["'”’)\]]*$/);
      expect(sentence(words)).toBe(words);
    }),
  );
});

test.each([
  ['Error', 'forward', ''],
  ['Undone', 'undo', ''],
  ['Pending', 'undo', ', undoing'],
  ['Processing', 'undo', ', undoing'],
  ['Error', 'undo', ': undo of charge is stuck'],
] as const)(
  'an order in %s, direction %s, says "%s" beside it',
  (processState, direction, text) => {
    expect(wayBack({ processState, direction, fault }, true)).toBe(text);
    expect(wayBack({ processState, direction, fault }, false)).toBe(text.replace(' of charge', ''));
    expect(wayBack({ processState, direction, fault: null }, true)).toBe(
      text.replace(' of charge', ''),
    );
  },
);

test('a fault of an undo says so', () => {
  expect(faultTitle({ ...fault, action: 'undo' })).toBe('The undo of step charge failed');
});
