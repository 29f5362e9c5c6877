/** How many calls each agent of one process begins at once, and who is next. */
import { expect, test } from 'vitest';
import { agentName } from '#core/model/ids.ts';
import type { Request } from '#core/model/message.ts';
import type { Priority, ProcessRecord, StepRecord } from '#core/model/record.ts';
import { agentGates } from '#in-process/agent-gates.ts';
import type { CircuitEvent } from '#in-process/circuit-watch.ts';
import { tenantWeights } from '#in-process/tenant-weights.ts';
import { call, slowDown } from '../support/agent-requests.ts';
import { testLog } from '../support/log.ts';
import { newOrder } from '../support/orders.ts';
import { virtualClock } from '../support/virtual-clock.ts';

async function started(concurrency: number) {
  const world = unused(concurrency);
  await slowDown(world.gates, world.clock);
  return world;
}

function unused(concurrency: number) {
  const clock = virtualClock();
  const nudged: string[] = [];
  const classes: Priority[] = [];
  const events: CircuitEvent[] = [];
  const gates = agentGates({
    concurrencyOf: new Map([['paint', concurrency]]),
    weights: tenantWeights(),
    onCircuit: (event) => events.push(event),
    nudge: (nudge) => {
      nudged.push(nudge.orderId);
      classes.push(nudge.priority);
    },
    log: testLog(),
    clock,
  });
  const records = new Map<string, ProcessRecord>();
  /** What an operator changed. */
  const priorities = new Map<string, Priority>();
  /** A hold continues through its attempts. */
  const heldSince = new Map<string, number>();
  /** Stores the order with these steps held. */
  function store(order: string, ...steps: readonly string[]): void {
    const before = records.get(order) ?? newOrder(order, clock.now()).record;
    const { isHeld: _, ...rest } = before;
    const record = {
      ...rest,
      priority: priorities.get(order) ?? rest.priority,
      ...(steps.length > 0 && { isHeld: true as const }),
      steps: before.steps.map((step): StepRecord => {
        const { progress } = step;
        if (!steps.includes(step.name)) return { ...step, progress: { state: 'NotStarted' } };
        if (progress.state === 'Held') return step;
        const nowMs = clock.now();
        const since = heldSince.get(order) ?? nowMs;
        heldSince.set(order, since);
        const held = { state: 'Held', gate: 'concurrency', since, until: nowMs + 900_000 } as const;
        return { ...step, progress: { ...held, before: { state: 'NotStarted' } } };
      }),
    };
    records.set(order, record);
    gates.onRecord(record, before);
  }
  /** As a role does it: what is held is stored as held. */
  const kinds = (...requests: readonly Request[]) => {
    const answers = gates.ask(requests);
    for (const [order, own] of Map.groupBy(requests.entries(), ([, { orderId: id }]) => id)) {
      const held = own.filter(([at]) => answers[at] !== null);
      store(order, ...held.map(([, { step }]) => step));
    }
    return answers.map((hold) => (hold === null ? 'start' : 'hold'));
  };
  /** An operator changes the priority of an order whose step is held. */
  function reprioritise(order: string, priority: Priority): void {
    priorities.set(order, priority);
    store(order, 'east');
  }
  const gate = gates.of('paint');
  return { events, gates, gate, nudged, classes, kinds, store, reprioritise, clock };
}

test('an agent begins as many calls at once as it says, and no more', async () => {
  const { kinds } = await started(2);
  expect(kinds(call('a'), call('b'), call('c'))).toEqual(['start', 'start', 'hold']);
  expect(kinds(call('d'))).toEqual(['hold']);
});

test('the order that waited first is nudged when a call ends, and gets the slot', async () => {
  const { gates, nudged, kinds } = await started(1);
  kinds(call('a'), call('b'), call('c'));
  gates.release([call('a')]);
  expect(nudged).toEqual(['b']);
  expect(kinds(call('c'), call('d'), call('b'))).toEqual(['hold', 'hold', 'start']);
  expect(nudged).toEqual(['b']);
});

test('an order that begins to wait when a slot is free again is nudged at once', async () => {
  const { gates, nudged, store } = await started(1);
  gates.ask([call('a'), call('b')]);
  gates.release([call('a')]);
  store('b', 'east');
  expect(nudged).toEqual(['b']);
});

test('no slot is kept for a request that is asked with one of an agent that this process does not have', async () => {
  const { gates, kinds } = await started(1);
  const gone = { ...call('b'), agent: agentName('gone') };
  expect(() => gates.ask([call('a'), gone])).toThrow('There is no agent gone.');
  expect(kinds(call('c'))).toEqual(['start']);
});

test('a slot is released once, however often its request is', async () => {
  const { gates, nudged, kinds } = await started(1);
  kinds(call('a'), call('b'), call('c'));
  gates.release([call('a'), call('a')]);
  gates.release([call('a', 'east', 2), call('x')]);
  expect(nudged).toEqual(['b']);
});

test('a slot that its order does not take within ten seconds goes to the next', async () => {
  const { gates, nudged, kinds, clock } = await started(1);
  kinds(call('a'), call('b'), call('c'));
  gates.release([call('a')]);
  await clock.advance(9_999);
  expect(nudged).toEqual(['b']);
  await clock.advance(1);
  expect(nudged).toEqual(['b', 'c']);
  expect(kinds(call('b'), call('c'))).toEqual(['hold', 'start']);
});

test('an order that did not take its slot waits again, behind the others', async () => {
  const { gates, nudged, kinds, clock } = await started(1);
  kinds(call('a'), call('b'), call('c'));
  gates.release([call('a')]);
  await clock.advance(20_000);
  expect(nudged).toEqual(['b', 'c', 'b']);
});

test('several slots that become free at once for one order are one nudge', async () => {
  const { gates, nudged, kinds } = await started(2);
  kinds(call('a'), call('b'), call('c', 'east'), call('c', 'west'));
  gates.release([call('a'), call('b')]);
  expect(nudged).toEqual(['c']);
  expect(kinds(call('c', 'east'), call('c', 'west'))).toEqual(['start', 'start']);
});

test('after it is closed, nothing is nudged and no timer is left', async () => {
  const { gates, nudged, kinds, clock } = await started(2);
  kinds(call('a'), call('b'), call('c'), call('d'));
  gates.release([call('a')]);
  gates.close();
  gates.release([call('b')]);
  expect(nudged).toEqual(['c']);
  expect(clock.pending()).toBe(0);
});

test('an order that is cancelled while it waits gets no slot, and loses the one that was reserved for it', async () => {
  const { gates, nudged, kinds, store } = await started(1);
  kinds(call('a'), call('b'), call('c'), call('d'));
  store('b');
  gates.release([call('a')]);
  expect(nudged).toEqual(['c']);
  store('c');
  expect(nudged).toEqual(['c', 'd']);
});

test('an order that an operator gives another priority waits in its new class, with its nudge', async () => {
  const { gates, nudged, classes, kinds, reprioritise } = await started(1);
  kinds(call('a'), call('b'), call('c'), call('d'));
  reprioritise('d', 'high');
  reprioritise('b', 'low');
  gates.release([call('a')]);
  kinds(call('d'));
  gates.release([call('d')]);
  kinds(call('c'));
  gates.release([call('c')]);
  expect(nudged).toEqual(['d', 'c', 'b']);
  expect(classes).toEqual(['high', 'normal', 'low']);
});

test('an order with a reserved slot keeps it, and waits in its new class when it does not take it', async () => {
  const { gates, nudged, classes, kinds, reprioritise, clock } = await started(1);
  kinds(call('a'), call('b'), call('c'));
  gates.release([call('a')]);
  reprioritise('b', 'low');
  expect(nudged).toEqual(['b']);
  await clock.advance(20_000);
  expect(nudged).toEqual(['b', 'c', 'b']);
  expect(classes).toEqual(['normal', 'normal', 'low']);
});

test('an order whose probe failed has its new priority when it may be the probe again', async () => {
  const { gates, kinds, nudged, classes, clock, store, reprioritise } = await broken(8);
  const probe = call('a', 'east', 1, 40_000);
  store('a', 'east');
  await clock.advance(40_000);
  kinds(probe);
  const before = nudged.length;
  gates.of('paint').end(probe);
  store('a', 'east');
  reprioritise('a', 'low');
  await clock.advance(5_000);
  expect(nudged).toHaveLength(before + 1);
  expect(classes.at(-1)).toBe('low');
});

test('an attempt begins when it is its turn, and not when it has waited for a tenth of its time', async () => {
  const { gate, clock } = await started(1);
  expect(await gate.begin(call('a'))).toBeNull();
  const turns: unknown[] = [];
  for (const order of ['b', 'c'])
    void Promise.resolve(gate.begin(call(order))).then((turn) => turns.push(turn));
  await clock.advance(99);
  expect(turns).toEqual([]);
  await clock.advance(1);
  expect(turns).toMatchObject([{ gate: 'concurrency' }, { gate: 'concurrency' }]);
});

test('a call that ends lets the next attempt begin', async () => {
  const { gate, clock } = await started(1);
  const first = call('a');
  await gate.begin(first);
  const second = gate.begin(call('b'));
  await clock.advance(50);
  gate.end(first);
  expect(await second).toBeNull();
  expect(clock.pending()).toBe(0);
});

test('of the attempts that were sent ahead, one of a higher class begins first', async () => {
  const { gate, clock } = await started(1);
  const first = call('a');
  await gate.begin(first);
  const begun: string[] = [];
  const sent = (['low', 'normal', 'high'] as const).map((priority) => ({
    ...call(priority),
    priority,
  }));
  for (const request of sent) {
    void Promise.resolve(gate.begin(request)).then(() => {
      begun.push(request.priority);
      gate.end(request);
    });
  }
  await clock.advance(50);
  gate.end(first);
  await clock.advance(0);
  expect(begun).toEqual(['high', 'normal', 'low']);
});

test('an attempt of which half of the time has passed does not begin', async () => {
  const { gate, clock } = await started(1);
  await clock.advance(501);
  expect(await gate.begin(call('a'))).toMatchObject({ gate: 'concurrency' });
});

test('an agent whose calls take no time is sent more than it makes at once', async () => {
  const { gates, gate, kinds } = unused(2);
  const first = call('a');
  await gate.begin(first);
  gate.end(first);
  expect(kinds(...['b', 'c', 'd', 'e', 'f'].map((order) => call(order)))).toEqual([
    ...Array.from({ length: 4 }, () => 'start'),
    'hold',
  ]);
  gates.close();
});

test('an agent whose calls took no time, and hang now, is sent no more until one of them ends', async () => {
  const { clock, gates, gate, kinds } = unused(1);
  const first = call('a');
  await gate.begin(first);
  gate.end(first);
  const hangs = call('b');
  expect(kinds(hangs)).toEqual(['start']);
  await gate.begin(hangs);
  await clock.advance(100);
  expect(kinds(call('c'))).toEqual(['hold']);
  gate.end(hangs);
  gates.release([hangs]);
  expect(kinds(call('c'))).toEqual(['start']);
  gates.close();
});

/** Fails calls of several orders until the circuit opens. */
async function broken(concurrency: number) {
  const world = await started(concurrency);
  for (const order of ['v', 'w', 'x', 'y', 'z']) {
    const own = call(order);
    world.kinds(own);
    await world.gate.begin(own);
    const admitted = world.gate.admit(own);
    if ('failed' in admitted) admitted.failed();
    world.gate.end(own);
  }
  expect(world.gate.state()).toBe('open');
  return world;
}

test('an open circuit holds what is asked, and nudges one step at a time as its probe', async () => {
  const { gate, kinds, nudged, clock } = await broken(8);
  const first = call('a');
  expect(kinds(first, call('b'), call('c'))).toEqual(['hold', 'hold', 'hold']);
  await clock.advance(999);
  expect(nudged).toEqual([]);
  await clock.advance(1);
  expect(nudged).toEqual(['a']);
  expect(kinds(first)).toEqual(['start']);
  await clock.advance(3_000);
  expect(nudged).toEqual(['a']);
  expect(gate.state()).toBe('half-open');
});

test('after a probe that fails, another order is the next probe', async () => {
  const { gate, kinds, nudged, clock, store } = await broken(8);
  const probe = call('a', 'east', 1, 1_000);
  kinds(probe, call('b'));
  await clock.advance(1_000);
  kinds(probe);
  await gate.begin(probe);
  const admitted = gate.admit(probe);
  if ('failed' in admitted) admitted.failed();
  expect(gate.admit(probe)).toMatchObject({ gate: 'circuit' });
  gate.end(probe);
  store('a', 'east');
  await clock.advance(2_000);
  expect(nudged).toEqual(['a', 'b']);
});

/** The service of an agent recovers; these orders were held while it failed. */
async function recovering(...held: readonly Request[]) {
  const world = await broken(1_000);
  const { gate, kinds, clock } = world;
  const probe = call('p', 'east', 1, 1_000);
  kinds(probe, ...held);
  await clock.advance(1_000);
  kinds(probe);
  await gate.begin(probe);
  const admitted = gate.admit(probe);
  if ('answered' in admitted) admitted.answered();
  gate.end(probe);
  expect(gate.state()).toBe('recovering');
  return world;
}

test('a probe that is answered lets the others go in a ramp', async () => {
  const held = Array.from({ length: 30 }, (_, order) => call(`o${order}`));
  const { nudged, clock } = await recovering(...held);
  const counts: number[] = [];
  for (let second = 0; second < 9; second += 1) {
    await clock.advance(1_000);
    counts.push(nudged.length);
  }
  // The good rate was below 10 calls per second, which is the least that is assumed.
  expect(counts).toEqual([2, 2, 2, 3, 4, 7, 11, 20, 31]);
});

test('while a service recovers, a request that is not sent or does not begin leaves its part of the ramp to others', async () => {
  const { gate, gates, kinds } = await recovering();
  for (let other = 0; other < 10; other += 1) {
    const unsent = call(`unsent${other}`, 'east', 1, 1_000);
    expect(kinds(unsent)).toEqual(['start']);
    gates.release([unsent]);
    const late = call(`late${other}`, 'east', 1, -1_000);
    expect(kinds(late)).toEqual(['start']);
    expect(await gate.begin(late)).toMatchObject({ gate: 'concurrency' });
  }
  const called = call('called', 'east', 1, 1_000);
  expect(kinds(called)).toEqual(['start']);
  await gate.begin(called);
  gate.end(called);
  expect(kinds(call('next', 'east', 1, 1_000))).toEqual(['hold']);
});

test('an attempt that ends gives its slot to the next order', async () => {
  const { gate, nudged, kinds } = await started(1);
  const first = call('a');
  kinds(first, call('b'));
  await gate.begin(first);
  gate.end(first);
  expect(nudged).toEqual(['b']);
});

test('an order whose probe failed waits for an eighth of its hold before it is a probe again', async () => {
  const { gates, kinds, nudged, clock, store } = await broken(8);
  const probe = call('a', 'east', 1, 40_000);
  store('a', 'east');
  await clock.advance(1_000);
  // It is nudged again whenever its slot lapses, after ten seconds.
  await clock.advance(39_000);
  kinds(probe);
  const before = nudged.length;
  gates.of('paint').end(probe);
  store('a', 'east');
  await clock.advance(4_999);
  expect(nudged).toHaveLength(before);
  await clock.advance(1);
  expect(nudged).toHaveLength(before + 1);
});

test('a service that fails and is healthy again is reported once each', async () => {
  const { gate, kinds, clock, events } = await broken(8);
  const opened = { agent: 'paint', kind: 'opened', since: clock.now(), held: 0 };
  expect(events).toEqual([opened]);
  const probe = call('a', 'east', 1, 1_000);
  kinds(probe, call('b'));
  await clock.advance(1_000);
  kinds(probe);
  await gate.begin(probe);
  const admitted = gate.admit(probe);
  if ('answered' in admitted) admitted.answered();
  gate.end(probe);
  await clock.advance(60_000);
  expect(events).toEqual([opened, { ...opened, kind: 'closed', held: expect.any(Number) }]);
  expect(gate.state()).toBe('closed');
});
