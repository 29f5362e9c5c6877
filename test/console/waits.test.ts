/** What an order waits for, in words. */
import { expect, test } from 'vitest';
import { channelText } from '#console/now/channel-text.ts';
import { waitsOf } from '#console/order/waits.ts';
import { heldText } from '#console/orders/held-text.ts';

const since = '2026-01-01T12:03:00.000Z';
const later = '2026-01-01T12:04:00.000Z';
const probeAt = '2026-01-01T12:05:00.000Z';

const step = (agent: string, gate: 'circuit' | 'concurrency' | null, from = since) => ({
  agent,
  held: gate === null ? null : { gate, since: from, until: probeAt },
});
const order = (...steps: readonly ReturnType<typeof step>[]) => ({
  steps: Object.fromEntries(steps.map((one, at) => [`s${at}`, one])),
});
const payment = { name: 'payment', circuit: { probeAt } };

test('a step behind an open circuit waits for its agent until the next probe', () => {
  const circuitOpen = { what: 'payment: its circuit breaker is open', since };
  expect(waitsOf(order(step('payment', 'circuit')), [payment])).toEqual([
    { ...circuitOpen, probeAt },
  ]);
  expect(waitsOf(order(step('payment', 'circuit')), [])).toEqual([
    { ...circuitOpen, probeAt: null },
  ]);
});

test('a step without a slot waits for no probe, and a step that is not held for nothing', () => {
  const what = 'payment: it has as many calls as it can begin in time';
  expect(waitsOf(order(step('fraud', null), step('payment', 'concurrency')), [payment])).toEqual([
    { what, since, probeAt: null },
  ]);
});

test('of two steps that wait for one agent the longer wait is shown', () => {
  const waits = waitsOf(order(step('payment', 'circuit', later), step('payment', 'circuit')), []);
  expect(waits.map((wait) => wait.since)).toEqual([since]);
});

test('a step that is held to be undone first says so', () => {
  const undoFirst = { ...step('payment', 'circuit'), undoFirst: true };
  const [wait] = waitsOf({ steps: { pay: undoFirst } }, []);
  expect(wait?.what).toBe(
    'payment, to be undone there before it starts anew: its circuit breaker is open',
  );
});

test('an order whose turn has not come waits for earlier ones, once for all its steps', () => {
  const held = { agent: 'packing', held: { gate: 'turn' as const, since, until: probeAt } };
  const steps = { one: held, two: { ...held, agent: 'mail' } };
  expect(waitsOf({ steps, turn: { behind: 'o-0', replaces: false, since: null } }, [])).toEqual([
    { what: 'order o-0 and earlier ones of its singleton key', since, probeAt: null },
  ]);
});

test('a listed order says what it waits for, once', () => {
  const hold = (name: string, gate: 'circuit' | 'limit' | 'turn') => ({
    ...{ step: `${name}-${gate}`, agent: name, gate },
    ...{ since, until: later },
  });
  const two = [hold('payment', 'circuit'), hold('payment', 'circuit'), hold('mail', 'limit')];
  expect(heldText(two)).toBe('waits for payment (circuit), mail (limit)');
  expect(heldText([hold('mail', 'turn'), hold('payment', 'turn')])).toBe(
    'waits for earlier orders',
  );
});

test.each([
  ['shop', 1_200, 'Status messages of the channel shop are not delivered (1,200), and fail'],
  [null, 1, 'Alerts to operators are not delivered (1), and fail'],
])('what the channel %s does not deliver is said', (name, undelivered, text) => {
  expect(channelText(name, undelivered)).toBe(text);
});
