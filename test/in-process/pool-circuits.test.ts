/** Members of a pool whose circuit is open, and slots that come back. */
import { expect, test, vi } from 'vitest';
import type { LimitedCall } from '#core/definition/agent-limit.ts';
import { orderId } from '#core/model/ids.ts';
import { tenantWeights } from '#in-process/tenant-weights.ts';
import { waitingSteps } from '#in-process/waiting-steps.ts';
import { gatesOfPay, namesOfPay } from '../support/pool-gates.ts';

const hourMs = 3_600_000;
const tenantOf = ({ tenant }: { readonly tenant: string | null }) => tenant;

test('a step that waits for two members with open circuits probes the first that may be tried', async () => {
  const { gates, nudged, ask, wait, fail, clock } = await gatesOfPay(1);
  ask('busy', 'pay-c');
  fail('pay-b');
  await clock.advance(600);
  fail('pay-a');
  wait('x', 'pay');
  await clock.advance(399);
  expect(nudged).toEqual([]);
  await clock.advance(1);
  expect(nudged).toEqual(['x']);
  const request = ask('x', 'pay');
  expect(request?.agent).toBe('pay-b');
  expect(gates.of('pay-b').state()).toBe('half-open');
});

test('a step that has waited for hours for a member that fails goes to another one at once', async () => {
  const { gates, nudged, ask, wait, fail, clock } = await gatesOfPay(1);
  const open = (['pay-b', 'pay-c'] as const).map((agent) => ask(`busy_${agent}`, agent));
  fail('pay-a');
  wait('x', 'pay', clock.now() - 9 * hourMs);
  expect(nudged).toEqual([]);
  gates.release(open.flatMap((request) => request ?? []).slice(0, 1));
  expect(nudged).toEqual(['x']);
  expect(ask('x', 'pay')?.agent).toBe('pay-b');
});

test('a step that has waited for hours, and was no probe, is the next one as soon as one is due', async () => {
  const { nudged, wait, fail, clock } = await gatesOfPay(1);
  for (const agent of ['pay-a', 'pay-b', 'pay-c'] as const) fail(agent);
  wait('x', 'pay', clock.now() - 9 * hourMs);
  await clock.advance(999);
  expect(nudged).toEqual([]);
  await clock.advance(1);
  expect(nudged).toEqual(['x']);
});

test('a step whose probe failed is not the next one before an eighth of the time that it has been held', async () => {
  const { nudged, failProbe, fail, clock } = await gatesOfPay(1);
  for (const agent of ['pay-a', 'pay-b', 'pay-c'] as const) fail(agent);
  await failProbe('x', 'pay', clock.now() - 39_000);
  await clock.advance(4_999);
  expect(nudged).toEqual([]);
  await clock.advance(1);
  expect(nudged).toEqual(['x']);
});

test('an order that comes is not the probe of a member while others wait for any member', async () => {
  const { ask, wait, fail, clock } = await gatesOfPay(1);
  for (const agent of ['pay-b', 'pay-c'] as const) ask(`busy_${agent}`, agent);
  fail('pay-a');
  wait('x', 'pay');
  // The clock was corrected: the timer of the probe has not run.
  clock.jump(2_000);
  expect(ask('new', 'pay-a')).toBeNull();
});

test('a slot that was lent and is not used goes to a step that waits for the member alone', async () => {
  const { gates, nudged, ask, wait, cancel } = await gatesOfPay(1);
  for (const agent of ['pay-b', 'pay-c'] as const) ask(`busy_${agent}`, agent);
  const open = ask('first', 'pay-a');
  wait('x', 'pay');
  gates.release(open === null ? [] : [open]);
  wait('y', 'pay-a');
  expect(nudged).toEqual(['x']);
  cancel('x');
  expect(nudged).toEqual(['x', 'y']);
});

test('after they are closed, the gates lend nothing, and no timer is left', async () => {
  const { gates, nudged, ask, wait, fail, clock } = await gatesOfPay(1);
  const open = (['pay-b', 'pay-c'] as const).flatMap((agent) => ask(`busy_${agent}`, agent) ?? []);
  fail('pay-a');
  for (const order of ['x', 'y', 'z']) wait(order, 'pay');
  gates.release(open.slice(0, 1));
  expect(nudged).toEqual(['x']);
  gates.close();
  expect(clock.pending()).toBe(0);
  gates.release(open);
  await clock.advance(60_000);
  expect(nudged).toEqual(['x']);
});

test('an agent of no pool lends nothing to one', async () => {
  const { gates, nudged, ask, wait } = await gatesOfPay(1);
  for (const agent of ['pay-a', 'pay-b'] as const) ask(`busy_${agent}`, agent);
  const open = ask('first', 'pay-c');
  wait('x', 'pay--bank');
  gates.release(open === null ? [] : [open]);
  expect(nudged).toEqual([]);
  expect(ask('y', 'pay-c')).not.toBeNull();
});

test.each([
  ['a member', 'pay-a'],
  ['a group of members', 'pay--bank'],
] as const)(
  'steps that wait for %s that fails leave room in a limit of the pool to those of another one',
  async (_, name) => {
    const rate = { count: 10, per: 1_000, burst: 1 };
    const limit = { name: 'pay/tenant', rate, atOnce: null, key: tenantOf };
    const { gates, nudged, ask, wait, fail, of, clock } = await gatesOfPay(2, [limit]);
    await clock.advance(1_000);
    for (const agent of ['pay-a', 'pay-b'] as const) fail(agent);
    const first = ask(of('ada', 'first'), 'pay-c');
    if (first !== null) await gates.of('pay-c').begin(first);
    for (const [order, waitsFor] of [
      ['x', name],
      ['y', name],
      ['z', 'pay-c'],
    ] as const) {
      expect(ask(of('ada', order), waitsFor)).toBeNull();
      wait(order, waitsFor);
    }
    await clock.advance(500);
    expect(nudged).toEqual(['z']);
    expect(ask('z', 'pay-c')).not.toBeNull();
    // The probe of each circuit is due a second after it opened.
    await clock.advance(700);
    expect(nudged.slice(1)).toContain('x');
  },
);

test('a step with room in a limit of the pool that waits for a busy member leaves it to others when the member fails', async () => {
  const rate = { count: 10, per: 1_000, burst: 1 };
  const limit = { name: 'pay/tenant', rate, atOnce: null, key: tenantOf };
  const { gates, nudged, ask, wait, of, clock } = await gatesOfPay(5, [limit]);
  await clock.advance(1_000);
  const busy = [1, 2, 3, 4, 5].map((at) => ask(`busy_${at}`, 'pay-a'));
  const first = ask(of('ada', 'first'), 'pay-c');
  if (first !== null) {
    await gates.of('pay-c').begin(first);
    gates.of('pay-c').end(first);
  }
  ask(of('ada', 'x'), 'pay-a');
  wait('x', 'pay-a');
  await clock.advance(150);
  ask(of('ada', 'z'), 'pay-c');
  wait('z', 'pay-c');
  for (const request of busy) {
    const admitted = request && gates.of('pay-a').admit(request);
    if (admitted !== null && 'failed' in admitted) admitted.failed();
  }
  expect(gates.of('pay-a').state()).toBe('open');
  await clock.advance(500);
  expect(nudged).toEqual(['z']);
});

test('a step that has passed a rate and waits for its agent leaves the next slots of its key to others', async () => {
  const rate = { count: 10, per: 1_000, burst: 1 };
  const limit = { name: 'pay/tenant', rate, atOnce: null, key: tenantOf };
  const { gates, nudged, ask, of, clock } = await gatesOfPay(100, [limit]);
  const timers = vi.spyOn(clock, 'after');
  await clock.advance(1_000);
  for (let at = 0; at < 110; at += 1) ask(`busy_${at}`, 'pay-a');
  expect(ask(of('ada', 'x'), 'pay-a')).toBeNull();
  for (let at = 0; at < 100; at += 1) ask(of('ada', `y_${at}`), 'pay-c');
  timers.mockClear();
  for (let ms = 0; ms < 5_000; ms += 10) {
    await clock.advance(10);
    for (const order of nudged.splice(0)) {
      const request = ask(order, 'pay-c');
      if (request !== null) await gates.of('pay-c').begin(request);
    }
  }
  const begun = gates.of('pay-c').room();
  expect(begun).toBeLessThanOrEqual(100 - 48);
  expect(begun).toBeGreaterThanOrEqual(100 - 51);
  // Each call has one for its slot, one while its order is claimed, and one for the next that waits.
  expect(timers.mock.calls.length).toBeLessThan(200);
});

test('while steps that have passed a rate wait for their agent, few timers come for each slot', async () => {
  const rate = { count: 100, per: 3_000, burst: 1 };
  const limit = { name: 'pay/tenant', rate, atOnce: null, key: tenantOf };
  const { ask, of, clock } = await gatesOfPay(1, [limit]);
  await clock.advance(1_000);
  ask('busy', 'pay-a');
  for (let at = 0; at < 100; at += 1) ask(of('ada', `x_${at}`), 'pay-a');
  const timers = vi.spyOn(clock, 'after');
  await clock.advance(600_000);
  expect(timers.mock.calls.length).toBeLessThan(250);
});

test('a step of a pool that its limit refused at its turn is before the others of its tenant when the limit has room', async () => {
  const key = ({ input }: LimitedCall) => (input === 'x' || input === 'y' ? 'cart' : null);
  const limit = { name: 'pay/cart', rate: null, atOnce: 1, key };
  const { gates, nudged, ask, wait, fail, clock } = await gatesOfPay(1, [limit]);
  for (const agent of ['pay-a', 'pay-b'] as const) fail(agent);
  const busy = ask('busy', 'pay-c');
  // It waits for its group without room in the limit, because both members fail.
  ask('x', 'pay--bank');
  if (busy !== null) gates.release([busy]);
  const other = ask('y', 'pay-c');
  expect(other).not.toBeNull();
  await clock.advance(1_000);
  expect(nudged.splice(0)).toEqual(['x']);
  expect(ask('x', 'pay--bank')).toBeNull();
  for (const order of ['u', 'v', 'w', 'z']) wait(order, 'pay--bank');
  await clock.advance(1);
  // Another order is the probe, and is answered.
  const probe = ask(nudged.splice(0)[0] ?? '', 'pay--bank');
  if (probe === null || other === null) throw new Error('there is no probe');
  gates.release([other]);
  nudged.length = 0;
  const call = gates.of(probe.agent === 'pay-a' ? 'pay-a' : 'pay-b').admit(probe);
  if ('answered' in call) call.answered();
  gates.release([probe]);
  await clock.advance(3_000);
  expect(nudged[0]).toBe('x');
});

test('steps of the pool are probes of a member while each step that is bound to it has been one lately', async () => {
  const { nudged, ask, failProbe, wait, fail, clock } = await gatesOfPay(1);
  for (const agent of ['pay-b', 'pay-c'] as const) ask(`busy_${agent}`, agent);
  fail('pay-a');
  await failProbe('bound', 'pay-a', clock.now() - 9 * hourMs);
  wait('any', 'pay');
  await clock.advance(2_000);
  expect(nudged).toEqual(['any']);
});

test('where all members hang, a step that has waited for long is not the next probe while another probe is made', async () => {
  const { gates, nudged, ask, failProbe, wait, fail, clock } = await gatesOfPay(1);
  for (const agent of ['pay-a', 'pay-b', 'pay-c'] as const) fail(agent);
  await failProbe('old', 'pay', clock.now() - hourMs);
  wait('new', 'pay');
  const probe = ask('new', 'pay');
  expect(probe && gates.of(probe.agent).state()).toBe('half-open');
  nudged.length = 0;
  await clock.advance(200_000);
  expect(nudged).toEqual([]);
  await clock.advance(100_000);
  expect(nudged).toEqual(['old']);
});

test('steps that wait for a pool leave their room in its limits to others when operators drain all of its members', async () => {
  const limit = { name: 'pay/tenant', rate: null, atOnce: 1, key: tenantOf };
  const { pay, 'pay--bank': bank } = namesOfPay;
  let isDrained = false;
  const { gates, nudged, ask, of } = await gatesOfPay(1, [limit], () =>
    isDrained
      ? { pools: new Map([['pay--bank', bank]]), heldBack: new Set(['pay']) }
      : { pools: new Map(Object.entries({ pay, 'pay--bank': bank })), heldBack: new Set() },
  );
  const busy = (['pay-a', 'pay-b', 'pay-c'] as const).map((agent) => ask(`busy_${agent}`, agent));
  ask(of('ada', 'x'), 'pay');
  ask(of('ada', 'undo'), 'pay-b');
  isDrained = true;
  gates.onSettings();
  gates.release(busy.flatMap((request) => request ?? []));
  expect(nudged).toEqual(['undo']);
  expect(ask('undo', 'pay-b')).not.toBeNull();
  isDrained = false;
  gates.onSettings();
  expect(nudged).toEqual(['undo', 'x']);
});

test('a clock that is set back by an hour delays the next probe of a step by no more than its wait', async () => {
  const { gates, nudged, failProbe, fail, clock } = await gatesOfPay(1);
  for (const agent of ['pay-a', 'pay-b', 'pay-c'] as const) fail(agent);
  await failProbe('x', 'pay', clock.now() - 40_000);
  await clock.advance(1_000);
  clock.jump(-hourMs);
  // Timers of this clock are at the former time.
  gates.onSettings();
  expect(nudged).toEqual(['x']);
});

test('a clock that is set ahead delays no probe', () => {
  let [nowMs, admitsAt] = [0, 0];
  const delays: number[] = [];
  const after = (ms: number) => {
    delays.push(ms);
    return () => {};
  };
  const steps = waitingSteps({
    hasSlot: () => true,
    circuit: {
      ...{ admits: () => true, admitsAt: () => admitsAt, unsent() {}, state: () => 'open' },
      takeFailedProbe: () => true,
    },
    ...{ weights: tenantWeights(), nudge() {}, clock: { now: () => nowMs, after } },
  });
  steps.add('x', { orderId: orderId('x'), priority: 'normal' }, -hourMs);
  expect(delays).toEqual([300_000]);
  nowMs += hourMs;
  admitsAt = nowMs + 1_000;
  steps.fill();
  expect(delays).toEqual([300_000, 1_000]);
});
