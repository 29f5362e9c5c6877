/** What states, faults, calls and causes mean in the console: each value of the API has its words and its place. */
import { expect, test } from 'vitest';
import type { AgentActivity, HistoryDocument, Order } from '#console/api/documents.ts';
import { type BarKind, callBar, waitBar } from '#console/chart/bar.ts';
import { barStyle } from '#console/chart/bar-style.ts';
import { graphLayout } from '#console/chart/graph-layout.ts';
import { timeScale } from '#console/chart/time-scale.ts';
import { timeline } from '#console/chart/timeline.ts';
import { healthOf } from '#console/now/agent-health.ts';
import { causeKey } from '#console/now/causes.ts';
import { type Flowing, flowed } from '#console/now/flow.ts';
import { faultTexts } from '#console/now/health-text.ts';
import { faultTitle, remedy } from '#console/order/fault-words.ts';
import { historyLine } from '#console/order/history-lines.ts';
import { momentText } from '#console/parts/instants.ts';
import { emptyQuery, listingPath, ordersHash, routeOf } from '#console/parts/page-paths.ts';
import { coolDownText, undoText } from '#console/parts/policy-text.ts';
import { waitingStyle, wayBack } from '#console/parts/state-words.ts';
import { lived, start, summary } from './scenario.ts';

const circuit = (state: AgentActivity['circuit']['state']) => ({
  ...{ state, epoch: 1, since: null, probeAt: null },
});
const calls = (succeeded: number, failed: number, timedOut = 0) => ({
  ...{ succeeded, failed, timedOut, circuit: circuit('closed'), state: 'healthy' as const },
});

test.each([
  [calls(0, 0), 'No calls'],
  [calls(1, 3), 'Few calls'],
  [calls(2, 3), 'Failing'],
  [calls(3, 3), 'Few calls'],
  [calls(0, 5), 'Failing'],
  [calls(99, 1), 'Healthy'],
  [calls(98, 2), 'Degraded'],
  [calls(95, 0, 5), 'Degraded'],
  [calls(94, 3, 3), 'Failing'],
  [{ ...calls(99, 1), circuit: circuit('open') }, 'Circuit open'],
  [{ ...calls(99, 1), circuit: circuit('half-open') }, 'Circuit half open'],
  [{ ...calls(99, 1), circuit: circuit('recovering') }, 'Circuit recovering'],
  [{ ...calls(0, 9), circuit: circuit('open'), state: 'draining' as const }, 'Draining'],
  [{ ...calls(0, 9), circuit: circuit('open'), state: 'drained' as const }, 'Drained'],
])('the health of an agent with %o is: %s', (agent, word) => {
  expect(healthOf(agent).word).toBe(word);
});

test('causes that differ in one part have different keys', () => {
  const parts = [null, '', 'a', '/', ':', 'a:b'];
  const keys = parts.flatMap((step) =>
    parts.map((code) => causeKey({ workflow: 'w', step, action: null, code })),
  );
  expect(new Set(keys).size).toBe(keys.length);
  const actions = (['perform', 'undo', null] as const).map((action) =>
    causeKey({ workflow: 'w', step: 'a', action, code: 'c' }),
  );
  expect(new Set(actions).size).toBe(3);
});

const flowing = (orderId: string, more: Partial<Flowing> = {}): Flowing => ({
  ...{ orderId, workflow: 'house', revision: 1, processState: 'Pending', direction: 'forward' },
  ...{ fault: null, at: '', steps: {} },
  ...more,
});

test('a summary, which has no steps, leaves those that are shown, unless the order has gone on unseen', () => {
  const shown = [flowing('o-1', { steps: { east: 'Running' } })];
  const [same] = flowed(shown, [flowing('o-1')], 9);
  expect(same?.steps).toEqual({ east: 'Running' });
  const [read] = flowed(shown, [flowing('o-1', { revision: 2 })], 9);
  expect([read?.revision, read?.steps]).toEqual([2, {}]);
  const [changed] = flowed(shown, [flowing('o-1', { revision: 2, steps: { east: 'Failed' } })], 9);
  expect(changed?.steps).toEqual({ east: 'Failed' });
});

test('faults of Reeve have their sentences, those of a newer release their codes, and loads none', () => {
  const causes = ['circuit-open', 'store-full', 'overloaded', 'moon-phase'];
  expect(faultTexts({ causes })).toEqual([
    'The disk of the state store is full: no order is accepted, and none continues.',
    'Reeve has a fault: moon-phase.',
  ]);
});

const fault = { code: 'declined', message: 'No.', effect: 'none' } as const;

test.each([
  [{ step: null, action: null }, 'The order was stopped'],
  [{ step: 'east', action: 'perform' }, 'Step east failed'],
  [{ step: 'east', action: 'undo' }, 'The undo of step east failed'],
] as const)('the fault of %o: %s', (of, title) => {
  expect(faultTitle({ ...fault, ...of })).toBe(title);
});

test.each([
  ['Undone', 'All effects have been undone.'],
  ['Processing', 'Reeve is undoing all effects.'],
  ['Pending', 'Reeve is undoing all effects.'],
  ['Error', /^Remove the cause, then resubmit .*; or cancel /],
] as const)('what an operator does about a fault of an order that is %s', (processState, words) => {
  const order = { ...lived([]).order, ...summary('one', { processState }) };
  expect(remedy(order)).toMatch(words);
});

const call = (more: Partial<Order['calls'][number]>): Order['calls'][number] => ({
  ...{ step: 'east', action: 'perform', attempt: 1, from: null, to: null, end: null },
  ...{ isLate: false, fault: null },
  ...more,
});
const from = new Date(start).toISOString();
const to = new Date(start + 2_000).toISOString();

test.each([
  [{ from }, 'Call 1: running for 5 s', 'run'],
  [{ from, to, end: 'succeeded' }, 'Call 1: succeeded after 2 s', 'check'],
  [{ from, to, end: 'succeeded', action: 'undo' }, 'Call 1: undo succeeded after 2 s', 'back'],
  [{ from, to, end: 'failed', fault: 'declined' }, 'Call 1: failed after 2 s (declined)', 'cross'],
  [
    { from, to, end: 'succeeded', isLate: true },
    'Call 1: succeeded, answered late after 2 s',
    'check',
  ],
] as const)('a call %o reads: %s', (more, said, icon) => {
  expect(barStyle(callBar(call(more), start), start + 5_000)).toEqual({ said, icon });
});

test.each([
  ['coolDown', 'cool-down for 2 s'],
  ['hold', 'held for 2 s'],
  ['doubt', 'waiting until no call can be at work for 2 s'],
] as const satisfies readonly (readonly [BarKind, string])[])(
  'a wait %s reads: %s',
  (kind, said) => {
    expect(barStyle(waitBar({ step: 'east', kind, from, to }), start)).toEqual({
      said,
      icon: 'pause',
    });
  },
);

test.each([
  ['Pending', true],
  ['Processing', true],
  ['Processed', false],
  ['Undone', false],
  ['Error', false],
] as const)('the timeline of an order that is %s goes on: %s', (processState, goesOn) => {
  const order = { ...lived([]).order, calls: [], waits: [], processState };
  expect(timeline(order).to === null).toBe(goesOn);
});

test('ticks end before the first quiet period, and a short one is drawn as it is', () => {
  const range = { from: 0, to: 3_600_000 };
  const { ticks, breaks } = timeScale(range, [
    { from: 0, to: 10_000 },
    { from: 3_590_000, to: 3_600_000 },
  ]);
  expect(breaks).toHaveLength(1);
  for (const { left } of ticks) expect(left).toBeLessThan(breaks[0]?.left ?? 0);
  const short = timeScale({ from: 0, to: 1_000 }, [
    { from: 0, to: 300 },
    { from: 650, to: 1_000 },
  ]);
  expect(short.breaks).toEqual([]);
});

test('a step after one that the workflow does not have is drawn in the first layer', () => {
  const shape = { boxWidth: 10, boxHeight: 10, layerGap: 10, boxGap: 5, down: false };
  const { boxes, edges } = graphLayout([{ name: 'b', after: ['gone'] }], shape);
  expect(boxes).toEqual([{ name: 'b', x: 0, y: 0 }]);
  expect(edges).toEqual([]);
});

const at = '2026-01-01T00:00:00.000Z';
test.each<[HistoryDocument, object]>([
  [
    { at, type: 'submit' },
    { by: null, notBefore: null },
  ],
  [
    { at, type: 'submit', by: 'ada', notBefore: at },
    { by: 'ada', notBefore: Date.parse(at) },
  ],
  [{ at, type: 'interrupted', reason: 'restart' }, { reason: 'restart' }],
  [{ at, type: 'interrupted', reason: 'outage' }, { reason: 'outage' }],
  [
    { at, type: 'claim', by: 's', agents: [{ step: 'east', agent: 'paint' }] },
    { agents: [{ step: 'east', agent: 'paint' }] },
  ],
])('the entry %o keeps what it says', (entry, line) => {
  expect(historyLine(entry)).toMatchObject(line);
});

test('an instant of another year has its year, and one of this year none', () => {
  const nowMs = new Date(2026, 5, 1).getTime();
  expect(momentText(new Date(2025, 5, 1).getTime(), nowMs)).toContain('2025');
  expect(momentText(new Date(2026, 4, 1).getTime(), nowMs)).not.toContain('2026');
});

const policy = {
  completeWithinMs: 1,
  maxDurationMs: 1,
  retries: 0,
  coolDownMs: 0,
  coolDownTimes: 0,
};
test.each(['offered', 'unneeded', 'impossible'] as const)(
  'a step that is irreversible says so, also where its undo is %s',
  (undo) => {
    const irreversible = { onFault: 'hold', onExhausted: 'hold', irreversible: true } as const;
    expect(undoText({ undo, policy: { ...policy, ...irreversible, undo: null } })).toBe(
      'irreversible',
    );
  },
);

test('the longest cool-down is a part of a growing one', () => {
  const growing = { coolDownMs: 10_000, coolDownTimes: 2, coolDownFactor: 2 };
  expect(coolDownText({ ...growing, coolDownMaxMs: 60_000 })).toBe('10 s, then ×2 up to 1 min, 2×');
  expect(coolDownText(growing)).toBe('10 s, then ×2, 2×');
});

test.each([
  ['forward', 'Error', ''],
  ['undo', 'Processing', ', undoing'],
  ['undo', 'Undone', ''],
  ['undo', 'Error', ': undo of east is stuck'],
] as const)('%s, %s: the state is followed by "%s"', (direction, processState, words) => {
  expect(wayBack({ direction, processState, fault: { step: 'east' } }, true)).toBe(words);
});

test.each([
  [{ state: 'NotStarted', attempt: 0 }, 'Not started'],
  [{ state: 'NotStarted', attempt: 1 }, 'Waiting'],
  [{ state: 'Held', attempt: 1 }, 'Held'],
  [{ state: 'Held', attempt: 1, undoFirst: true }, 'Held to be undone'],
  [{ state: 'Running', attempt: 2 }, 'Running'],
] as const)('the step %o is: %s', (step, word) => {
  expect(waitingStyle(step).word).toBe(word);
});

test.each(['#/orders/a/b', '#/agents/a/b', '#/nothing', '#/orders/a/b?state=Error'])(
  '%s is no page',
  (hash) => {
    expect(routeOf(hash)).toEqual({ page: 'unknown', hash });
  },
);

test('an address has the filters that are set, and no others', () => {
  expect(ordersHash({ ...emptyQuery, workflow: 'shop' })).toBe('#/orders?workflow=shop');
  expect(ordersHash(emptyQuery)).toBe('#/orders');
});

test.each([
  ['15m', 15 * 60_000],
  ['1h', 3_600_000],
  ['1d', 86_400_000],
  ['7d', 7 * 86_400_000],
])('changed within %s is since %i ms ago', (within, ms) => {
  const path = listingPath({ ...emptyQuery, within }, start, null);
  expect(new URLSearchParams(path.split('?')[1]).get('since')).toBe(
    new Date(start - ms).toISOString(),
  );
});
