/** What one instance of the Scheduler lets through, and what it reads to know. */

import { expect, test } from 'vitest';
import type { SharedCircuit } from '#core/flow/shared-circuit.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { agentName, orderId, schedulerId, stepName } from '#core/model/ids.ts';
import type { Reply, ReplyResult } from '#core/model/message.ts';
import { sharedGates } from '#distributed/shared-gates.ts';
import { isHold } from '#ports/gates.ts';
import { call } from '../support/agent-requests.ts';
import { testLog } from '../support/log.ts';
import { memoryCircuits } from '../support/memory-circuits.ts';
import { noLimits } from '../support/no-limits.ts';
import { newOrder } from '../support/orders.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const paint = agentName('paint');

function instance({ isLimited = true, limits = noLimits() } = {}) {
  const clock = virtualClock();
  const circuits = memoryCircuits();
  const log = testLog();
  let backlog = { waiting: 0, inFlight: 0 };
  let counts = 0;
  let isFailing = false;
  const gates = sharedGates({
    instance: 'one',
    limited: isLimited ? ['paint'] : [],
    circuits,
    limits,
    backlog: {
      async of() {
        counts += 1;
        if (isFailing) throw new UnavailableError('aws-unavailable', 'No answer.');
        return backlog;
      },
    },
    clock,
    log,
  });
  let number = 0;
  /** Asks for so many requests of orders of their own: which were held, and by what. */
  async function ask(count: number) {
    const held: string[] = [];
    let sent = 0;
    for (let at = 0; at < count; at += 1) {
      number += 1;
      const [answer = null] = await gates.ask([call(`o${number}`)], false);
      if (isHold(answer)) held.push(answer.gate);
      else sent += 1;
    }
    return { sent, held };
  }
  /** As a batch of nudges does: none of the requests waits for the answer to another one. */
  async function askAtOnce(count: number) {
    const orders = Array.from({ length: count }, (_, at) => `b${number + at}`);
    number += count;
    const answers = await Promise.all(orders.map((order) => gates.ask([call(order)], false)));
    return answers.flat().filter((hold) => hold === null).length;
  }
  const set = (waiting: number, inFlight: number) => {
    backlog = { waiting, inFlight };
  };
  const fail = () => {
    isFailing = true;
  };
  return { clock, circuits, log, gates, ask, askAtOnce, set, fail, counts: () => counts };
}

const reply = (result: ReplyResult, waitedMs?: number): Reply => ({
  orderId: orderId('one'),
  step: stepName('east'),
  attempt: 1,
  action: 'perform',
  result,
  ...(waitedMs !== undefined && { waitedMs }),
});
const done: ReplyResult = { kind: 'succeeded', output: null };
const deferred = (gate: 'circuit' | 'concurrency'): ReplyResult => ({
  kind: 'deferred',
  gate,
  retryAfterMs: 0,
});
const open = (epoch: number, at: number, probes = 0): SharedCircuit => ({
  state: 'open',
  epoch,
  since: at,
  probeAt: at + 1_000,
  probes,
  goodRate: { perSecond: 10, isKnown: true },
});
const recovering: Omit<Extract<SharedCircuit, { state: 'recovering' }>, 'from'> = {
  ...{ state: 'recovering', epoch: 2, since: 0 },
  goodRate: { perSecond: 10, isKnown: true },
};
const { record } = newOrder('one', 0);
const held = {
  ...record,
  history: [
    ...record.history,
    {
      type: 'held',
      at: 1,
      definitionUnknown: false,
      by: schedulerId('s'),
      times: 1,
      holds: [{ step: stepName('east'), gate: 'circuit', since: 1, until: 2 }],
    },
  ],
} as const;

test('an agent without a limit that keeps up costs no read', async () => {
  const { gates, ask, counts, circuits, clock } = instance({ isLimited: false });
  for (let second = 0; second < 60; second += 1) {
    expect((await ask(40)).held).toEqual([]);
    gates.observe(paint, [reply(done)]);
    expect(await gates.startable(paint, [], [record])).toBe(0);
    await clock.advance(1_000);
  }
  expect([counts(), circuits.reads()]).toEqual([0, 0]);
});

test.each([
  { waiting: 0, inFlight: 0, sent: 10 },
  { waiting: 2, inFlight: 20, sent: 18 },
  { waiting: 25, inFlight: 20, sent: 0 },
])(
  'a limited agent has as many requests waiting as in flight, at least ten: $sent with $waiting waiting and $inFlight in flight',
  async ({ waiting, inFlight, sent }) => {
    const { ask, set } = instance();
    set(waiting, inFlight);
    expect((await ask(30)).sent).toBe(sent);
  },
);

test('requests that are asked for while the queues are read wait for what they say, and share the read', async () => {
  const { askAtOnce, set, counts, clock } = instance();
  set(30, 20);
  expect(await askAtOnce(10)).toBe(0);
  set(0, 0);
  await clock.advance(1_000);
  expect(await askAtOnce(30)).toBe(10);
  expect(counts()).toBe(2);
});

test('requests that are asked for while the stored circuit is read wait for it', async () => {
  const { gates, askAtOnce, circuits, clock } = instance({ isLimited: false });
  await circuits.store('paint', open(1, clock.now()), 0);
  gates.observe(paint, [reply(deferred('circuit'))]);
  expect(await askAtOnce(10)).toBe(0);
  expect(circuits.reads()).toBe(1);
});

test('the queues of a limited agent are read once per second under load, and every ten seconds without', async () => {
  const { ask, clock, counts } = instance();
  await ask(9);
  await ask(9);
  expect(counts()).toBe(1);
  await clock.advance(1_000);
  await ask(1);
  expect(counts()).toBe(2);
  await clock.advance(9_000);
  await ask(1);
  expect(counts()).toBe(2);
  await clock.advance(1_000);
  await ask(1);
  expect(counts()).toBe(3);
});

test('an agent whose requests waited is watched for a minute', async () => {
  const { gates, ask, set, clock, counts } = instance({ isLimited: false });
  set(30, 20);
  gates.observe(paint, [reply(done, 400)]);
  expect((await ask(3)).held).toHaveLength(3);
  await clock.advance(60_000);
  expect((await ask(3)).held).toEqual([]);
  expect(counts()).toBe(1);
});

test('an agent that gave an attempt back because it was late is watched too', async () => {
  const { gates, ask, set } = instance({ isLimited: false });
  set(30, 20);
  gates.observe(paint, [reply(deferred('concurrency'))]);
  expect((await ask(1)).held).toEqual(['concurrency']);
});

test('a request that was not sent leaves its place to another one', async () => {
  const { gates, ask } = instance();
  await ask(9);
  const request = call('unsent');
  expect(await gates.ask([request], false)).toEqual([null]);
  expect((await ask(1)).sent).toBe(0);
  gates.release([request]);
  expect((await ask(2)).sent).toBe(1);
});

test('after a reply that met an open circuit, the stored circuit is read, and holds', async () => {
  const { gates, ask, circuits, clock } = instance({ isLimited: false });
  await circuits.store('paint', open(1, clock.now()), 0);
  expect((await ask(2)).held).toEqual([]);
  gates.observe(paint, [reply(deferred('circuit'))]);
  expect((await ask(2)).held).toEqual(['circuit', 'circuit']);
  expect(circuits.reads()).toBe(1);
});

test('an open circuit lets one step through when a probe is due, which its agent may make the probe', async () => {
  const { gates, ask, circuits, clock } = instance({ isLimited: false });
  await circuits.store('paint', open(1, clock.now()), 0);
  gates.observe(paint, [reply(deferred('circuit'))]);
  await ask(1);
  await clock.advance(1_000);
  expect(await ask(3)).toEqual({ sent: 1, held: ['circuit', 'circuit'] });
  // The probe failed.
  await circuits.store('paint', open(2, clock.now(), 1), 1);
  await clock.advance(1_000);
  expect(await ask(3)).toEqual({ sent: 1, held: ['circuit', 'circuit'] });
});

/** An agent whose requests wait, known to an instance that holds some. */
async function pressedInstance(waiting: number, inFlight: number) {
  const own = instance();
  own.set(waiting, inFlight);
  while ((await own.ask(1)).held.length === 0);
  return own;
}
const replies = (count: number) => Array.from({ length: count }, () => reply(done));

test.each([
  { waiting: 30, started: 12, is: 'as many as wanted wait: one request for each reply' },
  { waiting: 100, started: 11, is: 'more wait: fewer requests' },
  { waiting: 1, started: 15, is: 'fewer wait: more requests' },
])('of 12 replies, $started let a request be sent when $is', async ({ waiting, started }) => {
  const { gates, set, clock, ask } = await pressedInstance(waiting, 20);
  // What was sent without a reply is counted by now.
  set(waiting, 20);
  await clock.advance(1_000);
  await ask(1);
  gates.observe(paint, replies(12));
  expect(await gates.startable(paint, [], [record])).toBe(started);
});

test('replies that came while nothing waited let nothing be sent later', async () => {
  const { gates, set, ask } = instance();
  set(20, 20);
  gates.observe(paint, replies(12));
  expect((await ask(1)).held).toHaveLength(1);
  gates.observe(paint, replies(3));
  expect(await gates.startable(paint, [], [record])).toBeLessThanOrEqual(3);
});

test('while orders wait, one that comes waits too, and one that was chosen is sent', async () => {
  const { gates } = await pressedInstance(15, 20);
  gates.observe(paint, replies(12));
  gates.chosen('paint', [orderId('chosen')]);
  const answers = [
    ...(await gates.ask([call('new')], false)),
    ...(await gates.ask([call('chosen')], false)),
  ];
  expect(answers.map((answer) => isHold(answer) && answer.gate)).toEqual(['concurrency', false]);
});

test('when so little is outstanding that no reply may come, an order is sent although others wait', async () => {
  const { set, clock, ask, gates } = await pressedInstance(20, 20);
  set(1, 2);
  await clock.advance(1_000);
  expect((await ask(10)).sent).toBe(7);
  expect(await gates.startable(paint, [], [record])).toBe(0);
});

test('the replies of slow calls come too late: then so many requests are sent that ten wait', async () => {
  const { set, clock, ask, gates } = instance();
  const first = call('first');
  await gates.ask([first], false);
  await clock.advance(8_000);
  gates.observe(paint, [{ ...reply(done), orderId: first.orderId, step: first.step }]);
  set(20, 20);
  await clock.advance(10_000);
  expect((await ask(1)).held).toHaveLength(1);
  set(3, 40);
  await clock.advance(1_000);
  expect((await ask(10)).sent).toBe(7);
});

test('an order that was held at another agent says nothing of this one', async () => {
  const { gates } = instance({ isLimited: false });
  const elsewhere = {
    ...held,
    steps: held.steps.map((step) => ({ ...step, agent: agentName('glue') })),
  };
  expect(await gates.startable(paint, [], [elsewhere])).toBe(0);
});

test('an order with a step that waits for another agent now says nothing of this one', async () => {
  const { gates } = instance({ isLimited: false });
  const before = { state: 'NotStarted' } as const;
  const waiting = (agent: string) => ({
    ...record,
    steps: record.steps.map((step) => ({
      ...step,
      agent: agentName(step.name === 'east' ? agent : 'paint'),
      ...(step.name === 'east' && {
        progress: { state: 'Held', gate: 'circuit', since: 1, until: 2, before } as const,
      }),
    })),
  });
  expect(await gates.startable(paint, [], [waiting('glue')])).toBe(0);
  expect(await gates.startable(paint, [], [waiting('paint')])).toBeGreaterThan(0);
});

test('a request that is not sent gives back what it has in the limits of its agent', () => {
  const released: string[] = [];
  const limits = {
    ...noLimits(),
    release: ({ orderId: id }: { readonly orderId: string }) => void released.push(id),
  };
  const { gates } = instance({ limits });
  gates.release([call('one'), call('two')]);
  expect(released).toEqual(['one', 'two']);
});

test('an order that was held says that others wait, also to an instance that held none', async () => {
  const { gates } = instance({ isLimited: false });
  expect(await gates.startable(paint, [], [record])).toBe(0);
  expect(await gates.startable(paint, [], [held, record])).toBe(4);
  gates.nothingWaits('paint');
  expect(await gates.startable(paint, [], [record])).toBe(0);
});

test('while the circuit is open, replies start nothing; while it recovers, as many as its ramp admits', async () => {
  const { gates, circuits, clock } = instance({ isLimited: false });
  await circuits.store('paint', open(1, clock.now()), 0);
  gates.observe(paint, [reply(deferred('circuit'))]);
  expect(await gates.startable(paint, [], [held])).toBe(0);
  await circuits.store('paint', { ...recovering, from: clock.now() }, 1);
  await clock.advance(1_000);
  const nine = Array.from({ length: 9 }, () => held);
  expect(await gates.startable(paint, [], nine)).toBe(1);
  await clock.advance(7_000);
  expect(await gates.startable(paint, [], nine)).toBe(18);
});

test.each([
  ['was not sent', false],
  ['was refused by a limit', true],
])('the part of the ramp of a request that %s is that of another one', async (_, isRefused) => {
  let isFull = isRefused;
  const limits = {
    ...noLimits(),
    ask: () => (isFull ? Promise.resolve({ gate: 'limit' as const, until: 0 }) : null),
  };
  const { gates, ask, circuits, clock } = instance({ isLimited: false, limits });
  await circuits.store('paint', { ...recovering, from: clock.now() }, 0);
  gates.observe(paint, [reply(deferred('circuit'))]);
  await gates.ask([], false);
  await clock.advance(1_000);
  const request = call('first');
  const [first = null] = await gates.ask([request], false);
  if (isRefused) expect(first).toMatchObject({ gate: 'limit' });
  else gates.release([request]);
  isFull = false;
  expect(await ask(2)).toEqual({ sent: 1, held: ['circuit'] });
});

test('queues that give no answer hold nothing for good: what was known still counts', async () => {
  const { ask, set, fail, clock, log } = instance();
  set(30, 20);
  expect((await ask(1)).sent).toBe(0);
  fail();
  await clock.advance(10_000);
  expect((await ask(1)).sent).toBe(0);
  expect(log.lines.map(({ event }) => event)).toEqual(['load-unknown']);
});

test('a probe of which nothing is heard is not waited for', async () => {
  const { gates, ask, circuits, clock } = instance({ isLimited: false });
  await circuits.store('paint', open(1, clock.now()), 0);
  gates.observe(paint, [reply(deferred('circuit'))]);
  await clock.advance(1_000);
  expect((await ask(2)).sent).toBe(1);
  await clock.advance(10_000);
  expect((await ask(2)).sent).toBe(0);
  await clock.advance(1);
  expect((await ask(2)).sent).toBe(1);
});

test('an agent that answers is not held, although the stored circuit stays open: its instance may not know it', async () => {
  const { gates, ask, circuits, clock } = instance({ isLimited: false });
  await circuits.store('paint', open(1, clock.now()), 0);
  gates.observe(paint, [reply(deferred('circuit'))]);
  await clock.advance(1_000);
  expect((await ask(2)).sent).toBe(1);
  gates.observe(paint, [reply(done)]);
  await clock.advance(8_000);
  expect((await ask(9)).sent).toBe(9);
  // It was an earlier call that was answered: the agent meets the open circuit again.
  gates.observe(paint, [reply(deferred('circuit'))]);
  await clock.advance(1_000);
  expect(await ask(2)).toEqual({ sent: 1, held: ['circuit'] });
});

test('an agent whose circuit is open is not asked for others while steps wait for it, which are its probes', async () => {
  const { gates, ask, circuits, clock } = instance({ isLimited: false });
  expect(gates.isAvailable?.(paint)).toBe(true);
  await circuits.store('paint', open(1, clock.now()), 0);
  gates.observe(paint, [reply(deferred('circuit'))]);
  // Somebody has to be its probe.
  expect(gates.isAvailable?.(paint)).toBe(true);
  expect((await ask(1)).held).toEqual(['circuit']);
  expect(gates.isAvailable?.(paint)).toBe(false);
  gates.nothingWaits('paint');
  expect(gates.isAvailable?.(paint)).toBe(true);
});

test('an agent that recovers is asked for others, although steps wait for it', async () => {
  const { gates, ask, circuits, clock } = instance({ isLimited: false });
  await circuits.store('paint', open(1, clock.now()), 0);
  gates.observe(paint, [reply(deferred('circuit'))]);
  await ask(2);
  await clock.advance(1_000);
  expect((await ask(1)).sent).toBe(1);
  expect(gates.isAvailable?.(paint)).toBe(false);
  gates.observe(paint, [reply(done)]);
  expect(gates.isAvailable?.(paint)).toBe(true);
});

test('an agent that has more calls than it begins is asked for others', async () => {
  const { gates, ask, set } = instance();
  set(30, 20);
  expect((await ask(1)).held).toEqual(['concurrency']);
  expect(gates.isAvailable?.(paint)).toBe(true);
});
