/** The texts of the console, and its routes. */
import { expect, test } from 'vitest';
import { coalesced } from '#console/api/coalesced.ts';
import type { WorkflowStep } from '#console/api/documents.ts';
import { sseParser } from '#console/api/sse-parser.ts';
import { chartShape, totals } from '#console/chart/chart-shape.ts';
import { documentParts } from '#console/order/document-parts.ts';
import { historyLine } from '#console/order/history-lines.ts';
import { countdownText, exactText, lengthText, momentText } from '#console/parts/instants.ts';
import { emptyQuery, listingPath, ordersHash, routeOf } from '#console/parts/page-paths.ts';
import { coolDownText, deadlineText, undoText } from '#console/parts/policy-text.ts';
import { waitingStyle } from '#console/parts/state-words.ts';
import { historySentence } from '#text/history-text.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const iso = '2026-01-01T00:00:00.000Z';

test.each([
  [0, '0 ms'],
  [412, '412 ms'],
  [999.4, '999 ms'],
  [999.7, '1 s'],
  [1_240, '1.24 s'],
  [9_996, '10 s'],
  [12_000, '12 s'],
  [59_949, '59.9 s'],
  [59_960, '1 min'],
  [185_000, '3 min 5 s'],
  [7_260_000, '2 h 1 min'],
  [90_000_000, '1 d 1 h'],
])('%i ms are %s', (ms, text) => {
  expect(lengthText(ms)).toBe(text);
});

const pauses = { coolDownMs: 10_000, coolDownTimes: 3 };
test.each([
  [{ ...pauses, coolDownTimes: 0 }, 'none'],
  [pauses, '10 s, 3×'],
  [{ ...pauses, coolDownFactor: 2 }, '10 s, then ×2, 3×'],
  [{ ...pauses, coolDownFactor: 1.5, coolDownMaxMs: 900_000 }, '10 s, then ×1.5 up to 15 min, 3×'],
  [{ ...pauses, coolDownMaxMs: 900_000 }, '10 s, 3×'],
])('the cool-downs %o read %s', (policy, text) => {
  expect(coolDownText(policy)).toBe(text);
});

const call = { completeWithinMs: 1_000, maxDurationMs: 1_000, retries: 0, ...pauses };
const policyWith = (
  undo: WorkflowStep['policy']['undo'],
  irreversible = false,
): WorkflowStep['policy'] => ({
  ...call,
  onFault: 'undo',
  onExhausted: 'hold',
  irreversible,
  undo,
});
test.each([
  ['offered', policyWith({ ...call, retries: 1 }), '2 attempts, 10 s, 3×'],
  ['offered', policyWith({ ...call, coolDownTimes: 0 }), '1 attempt'],
  ['unneeded', policyWith(call), 'unneeded'],
  ['impossible', policyWith(null, true), 'irreversible'],
] as const)('the undo that is %s with the policy %o reads %s', (undo, policy, text) => {
  expect(undoText({ undo, policy })).toBe(text);
});

test.each([
  ['undo', 'an order has 15 min, then it is undone'],
  ['hold', 'an order has 15 min, then it waits for an operator'],
] as const)('the deadline of a workflow whose late orders %s reads %s', (onLate, text) => {
  expect(deadlineText({ completeWithinMs: 900_000, onLate })).toBe(text);
});

test.each([
  [-5, '0:00'],
  [6_200, '0:07'],
  [750_000, '12:30'],
  [3_723_000, '1:02:03'],
])('a countdown of %i ms reads %s', (ms, text) => {
  expect(countdownText(ms)).toBe(text);
});

test.each([
  ['2026-01-31T00:00:00', '00:00:00'],
  ['2026-01-31T23:59:59', '23:59:59'],
  ['2026-01-30T23:59:59', '30 Jan, 23:59:59'],
  ['2026-02-01T00:00:00', '1 Feb, 00:00:00'],
  ['2026-02-20T12:00:00', '20 Feb, 12:00:00'],
  // The same day of another year.
  ['2025-01-31T12:00:00', '31 Jan 2025, 12:00:00'],
])('at noon of 31 January, local time, %s reads %s', (at, text) => {
  expect(momentText(Date.parse(at), Date.parse('2026-01-31T12:00:00'))).toBe(text);
});

test('the exact instant has milliseconds and a zone', () => {
  expect(exactText(Date.parse(iso) + 7)).toMatch(/\.007 .+$/);
});

test('an address is parsed to a page with its query, and back', () => {
  expect(routeOf('')).toEqual({ page: 'now' });
  expect(routeOf('#/orders/a%2Fb')).toEqual({ page: 'order', orderId: 'a/b' });
  expect(routeOf('#/nowhere/at/all').page).toBe('unknown');
  expect(routeOf('#/orders/%')).toEqual({ page: 'order', orderId: '%' });
  const query = {
    ...emptyQuery,
    ...{ state: 'Error', workflow: 'a b', tenant: 'x&y', correlationId: 'c/1', within: '1h' },
    ...{ step: 'charge', fault: 'declined', held: 'true' },
  };
  expect(routeOf(ordersHash(query))).toEqual({ page: 'orders', query });
  expect(ordersHash({})).toBe('#/orders');
});

test.each(['within=2h', 'within=constructor', 'held=yes'])(
  'a filter that the page does not have, %s, is none',
  (filter) => {
    expect(routeOf(`#/orders?${filter}`)).toEqual({ page: 'orders', query: emptyQuery });
  },
);

test('a listing requests the query of the address, to the minute', () => {
  const query = { ...emptyQuery, state: 'Error', tenant: 'north', within: '1h' };
  const path = (nowMs: number) => listingPath(query, nowMs, 'c1');
  const now = Date.parse(iso) + 30_000;
  expect(path(now)).toBe(
    '/orders?limit=50&state=Error&tenant=north&since=2025-12-31T23%3A00%3A00.000Z&cursor=c1',
  );
  expect(path(now + 20_000)).toBe(path(now));
  expect(listingPath({ ...emptyQuery, agent: 'payment', held: 'true' }, now, null)).toBe(
    '/orders?limit=50&agent=payment&held=true',
  );
  const cause = { ...emptyQuery, step: 'charge', fault: 'a&b' };
  expect(listingPath(cause, now, null, 200)).toBe('/orders?limit=200&step=charge&fault=a%26b');
});

test('events are parsed in chunks of any size', () => {
  const text =
    ':\n\nevent: order\ndata: {"a":1}\n\nevent: history\nid: 3\ndata: x\ndata: y\n\nrest';
  for (const size of [1, 3, 7, text.length]) {
    const parse = sseParser();
    const pieces = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
    expect(pieces.flatMap(parse)).toEqual([
      { event: 'order', data: '{"a":1}' },
      { event: 'history', data: 'x\ny' },
    ]);
  }
});

test('exactly the redacted values are marked', () => {
  const parts = documentParts({ token: '[redacted]', note: 'not [redacted] here' });
  expect(parts.map((part) => (part.kind === 'text' ? part.text : '***')).join('')).toBe(
    '{\n  "token": ***,\n  "note": "not [redacted] here"\n}',
  );
});

test('a step that was tried and does not run is waiting, and one that was not is not started', () => {
  expect(waitingStyle({ state: 'NotStarted', attempt: 2 }).word).toBe('Waiting');
  expect(waitingStyle({ state: 'NotStarted', attempt: 0 }).word).toBe('Not started');
  expect(waitingStyle({ state: 'Held', attempt: 1 }).word).toBe('Held');
  expect(waitingStyle({ state: 'Held', attempt: 1, undoFirst: true }).word).toBe(
    'Held to be undone',
  );
});

test('a history entry of a newer release is shown by its name, also with missing fields', () => {
  expect(historySentence(historyLine({ at: iso, type: 'teleported' }))).toBe('teleported');
  expect(historySentence(historyLine({ at: iso, type: 'stepFailed' }))).toBe('stepFailed');
  const fault = { code: 'declined', message: 'No.', effect: 'none' } as const;
  const failed = { at: iso, type: 'stepFailed', step: 'charge', attempt: 2, fault };
  expect(historySentence(historyLine(failed))).toContain('declined');
});

test('repeated requests for work run it at once, and then once for the rest', async () => {
  const clock = virtualClock();
  let done = 0;
  let restMs = 1_000;
  const work = coalesced(
    async () => {
      done += 1;
    },
    () => restMs,
    clock.after,
  );
  for (let asked = 0; asked < 50; asked += 1) work.ask();
  await clock.advance(0);
  expect(done).toBe(1);
  await clock.advance(1_000);
  expect(done).toBe(2);
  await clock.advance(5_000);
  expect(done).toBe(2);
  // As after a run that failed.
  restMs = 100;
  work.ask();
  work.ask();
  await clock.advance(100);
  expect(done).toBe(4);
  await clock.advance(1_000);
  work.ask();
  work.stop();
  await clock.advance(5_000);
  expect(done).toBe(5);
});

test('a chart stacks the ends of a minute under a line of what was submitted', () => {
  const minute = { at: iso, submitted: 7, processed: 4, undone: 2, error: 1 };
  const { bars, line, top } = chartShape([minute], { width: 100, height: 80 });
  expect(top).toBe(8);
  expect(bars.map(({ ending, y, height }) => [ending, y, height])).toEqual([
    ['processed', 40, 40],
    ['undone', 20, 20],
    ['error', 10, 10],
  ]);
  expect(line).toBe('M0 10H100');
  // More orders end in a minute than were submitted in it.
  const after = { ...minute, submitted: 0, processed: 70 };
  const drawn = chartShape([minute, after], { width: 100, height: 80 });
  expect(Math.min(...drawn.bars.map(({ y }) => y))).toBeGreaterThanOrEqual(0);
  expect(totals([minute, minute])).toEqual({ submitted: 14, processed: 8, undone: 4, error: 2 });
});
