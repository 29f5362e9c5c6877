/** The edges of the texts that the command line, the console and mails share. */
import { expect, test } from 'vitest';
import { orderText, troubleText } from '#text/alert-text.ts';
import { relativeTime } from '#text/relative-time.ts';
import { retryAfterMs } from '#text/retry-after.ts';
import { nodeOldest, nodeRefusal } from '#text/supported-node.ts';
import { cancelRefusalText, waysOut } from '#text/ways-out.ts';

const nowMs = Date.UTC(2026, 0, 2);

test.each([
  [null, null],
  ['', null],
  ['soon', null],
  ['1.5', null],
  ['-1', null],
  ['0', 0],
  ['7', 7_000],
  ['999999999', 1_000_000_000],
  ['Thu, 01 Jan 2026 00:00:00 GMT', 0],
  ['Fri, 02 Jan 2026 00:00:05 GMT', 5_000],
  ['Fri, 02 Jan 2126 00:00:05 GMT', 1_000_000_000],
])('Retry-After %j is a wait of %j ms', (header, ms) => {
  expect(retryAfterMs(header, nowMs)).toBe(ms);
});

test.each([
  [0, 'now'],
  [499, 'now'],
  [-499, 'now'],
  [500, 'in 1 s'],
  [-89_000, '89 s ago'],
  [90_000, 'in 2 min'],
  [90 * 60_000, 'in 2 h'],
  [35.4 * 3_600_000, 'in 35 h'],
  [36 * 3_600_000, 'in 2 days'],
])('an instant %i ms from now is %s', (ms, text) => {
  expect(relativeTime(nowMs + ms, nowMs)).toBe(text);
});

const fault = { code: 'declined', message: 'No.', step: 'pay', action: 'perform' } as const;
test.each([
  [{ attempts: 1, coolDowns: 0, since: nowMs - 999 }, ', after 1 attempt'],
  [{ attempts: 2, coolDowns: 1, since: nowMs }, ', after 2 attempts and 1 cool-down'],
  [{ attempts: 4, coolDowns: 2, since: nowMs - 1_000 }, ' and 2 cool-downs, failing for 1 s'],
])('an alert about %o ends with "%s"', (tried, end) => {
  const text = troubleText({ fault, tried, at: nowMs });
  expect(text.startsWith('step pay: No (declined)')).toBe(true);
  expect(text.endsWith(end)).toBe(true);
});

test('an alert names the order as its submitter does', () => {
  expect(orderText({ orderId: 'o-1', correlationId: null })).toBe('Order o-1');
  expect(orderText({ orderId: 'o-1', correlationId: 'table 7' })).toBe('Order o-1 (table 7)');
});

test.each([
  ['forward', null, 'to continue'],
  ['forward', { step: 'pay', action: 'perform' }, 'to repeat the step'],
  ['forward', { step: 'pay', action: 'undo' }, 'to repeat the undo'],
  ['undo', { step: 'pay', action: 'perform' }, 'to repeat the undo'],
  ['undo', null, 'to repeat the undo'],
] as const)(
  'a resubmit of an order that goes %s, with the fault %o, is %s',
  (direction, of, purpose) => {
    const actions = { resubmit: null, cancel: 'ended' };
    expect(waysOut({ direction, fault: of, actions })).toEqual([{ action: 'resubmit', purpose }]);
  },
);

test.each([
  ['irreversible', /irreversible step/],
  ['already-undoing', null],
  ['ended', null],
  [null, null],
])('an order whose cancel is refused as %j', (cancel, words) => {
  const text = cancelRefusalText({ actions: { resubmit: null, cancel } });
  if (words === null) expect(text).toBeNull();
  else expect(text).toMatch(words);
});

test.each([
  [nodeOldest, true],
  ['22.17.9', false],
  ['22.18.1', true],
  ['20.99.0', false],
  ['100.0.0', true],
])('Node %s is new enough: %s', (version, isEnough) => {
  expect(nodeRefusal(version) === null).toBe(isEnough);
});
