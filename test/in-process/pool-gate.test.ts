/** Steps that wait for any member of a pool: the first one that has a slot takes the next. */
import { describe, expect, test } from 'vitest';
import { agentName, idempotencyKey, orderId, stepName } from '#core/model/ids.ts';
import type { Request } from '#core/model/message.ts';
import type { Priority, ProcessRecord } from '#core/model/record.ts';
import { type AgentGates, type AgentGatesOptions, agentGates } from '#in-process/agent-gates.ts';
import { tenantWeights } from '#in-process/tenant-weights.ts';
import { call } from '../support/agent-requests.ts';
import { testLog } from '../support/log.ts';
import { newTill } from '../support/till.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const [east, west, pool] = [agentName('east'), agentName('west'), agentName('till')];
const collect = stepName('collect');

/** @param options what its gates do otherwise */
async function tills(concurrency = 1, options: Partial<AgentGatesOptions> = {}) {
  const clock = virtualClock();
  const nudged: string[] = [];
  const gates = agentGates({
    concurrencyOf: new Map([
      [east, concurrency],
      [west, concurrency],
    ]),
    pools: new Map([[pool, [east, west]]]),
    weights: tenantWeights(),
    onCircuit() {},
    nudge: (nudge) => nudged.push(nudge.orderId),
    log: testLog(),
    clock,
    ...options,
  });
  for (const agent of [east, west]) await slowDown(gates, agent, clock);
  const stored = new Map<string, ProcessRecord>();
  function store(record: ProcessRecord): void {
    gates.onRecord(record, stored.get(record.orderId) ?? null);
    stored.set(record.orderId, record);
  }
  const start = (order: string, agent: string) => {
    const request = requestOf(order, agent);
    const [answer] = gates.ask([request]);
    if (answer === null) store(recordOf(order, null));
    return answer === null ? request : null;
  };
  const wait = (order: string, agent = pool, from: Partial<ProcessRecord> = {}) =>
    store(recordOf(order, agent, from));
  return { gates, nudged, start, wait, store, clock };
}

const requests = new Map<string, Request>();

/** The same object for the same call, as a request is in a process. */
function requestOf(order: string, agent: string): Request {
  const name = `${order} ${agent}`;
  const id = orderId(order);
  const key = idempotencyKey(id, collect, 'perform', 1);
  const known = requests.get(name) ?? {
    ...call(order),
    orderId: id,
    step: collect,
    agent: agentName(agent),
    idempotencyKey: key,
    performKey: key,
  };
  requests.set(name, known);
  return known;
}

/** @param agent what its step waits for; null: its step does not wait */
function recordOf(
  order: string,
  agent: string | null,
  from: Partial<ProcessRecord> = {},
): ProcessRecord {
  const record = newTill(order, Date.UTC(2026, 0, 1));
  if (agent === null) return record;
  const since = Date.UTC(2026, 0, 1);
  const held = { state: 'Held', gate: 'concurrency', since, until: since + 900_000 } as const;
  const [step] = record.steps;
  if (step === undefined) throw new Error('The order has no step.');
  const progress = { ...held, before: { state: 'NotStarted' } } as const;
  return Object.assign({}, record, from, {
    isHeld: true,
    steps: [{ ...step, agent: agentName(agent), progress }],
  });
}

/** The first call of the agent takes a second, so that the next ones are not sent ahead. */
async function slowDown(
  gates: AgentGates,
  agent: string,
  clock: ReturnType<typeof virtualClock>,
): Promise<void> {
  const first = { ...requestOf('first', agent), completeBy: clock.now() + 1_000 };
  const gate = gates.of(agent);
  await gate.begin(first);
  clock.jump(1_000);
  gate.end(first);
  clock.jump(-1_000);
}

/** The calls of the agent fail until its circuit is open. */
function fail(gates: AgentGates, agent: string): void {
  for (let failed = 0; gates.of(agent).state() === 'closed'; failed += 1) {
    const request = requestOf(`failed-${failed}`, agent);
    const gate = gates.of(agent);
    if (gates.ask([request])[0] !== null) throw new Error(`${agent} has no slot.`);
    const admitted = gate.admit(request);
    if ('failed' in admitted) admitted.failed();
    gates.release([request]);
  }
}

function started(request: Request | null): Request {
  if (request === null) throw new Error('The step is held.');
  return request;
}

test('a step that waits for the pool is nudged when any member has a slot', async () => {
  const { gates, nudged, start, wait } = await tills();
  start('a', east);
  const b = started(start('b', west));
  wait('c');
  expect(nudged).toEqual([]);
  gates.release([b]);
  expect(nudged).toEqual(['c']);
  expect(start('c', east)).toBeNull();
  expect(start('c', west)).not.toBeNull();
});

test('a step that begins to wait while a member has a slot is nudged at once', async () => {
  const { nudged, start, wait } = await tills();
  start('a', east);
  wait('b');
  expect(nudged).toEqual(['b']);
});

test('one that comes does not pass those that wait for any member', async () => {
  const { gates, start, wait } = await tills();
  const a = started(start('a', east));
  start('b', west);
  wait('c');
  wait('d');
  gates.release([a]);
  expect(start('e', east)).toBeNull();
  expect(start('c', east)).not.toBeNull();
  expect(start('e', west)).toBeNull();
});

test('a step whose order could not be claimed with its slot waits for the next one as others do', async () => {
  const { gates, nudged, start, wait } = await tills();
  const a = started(start('a', east));
  const b = started(start('b', west));
  wait('c');
  gates.release([a]);
  expect(nudged).toEqual(['c']);
  // Another write of the order came first, so that its request is not sent.
  const c = requestOf('c', east);
  expect(gates.ask([c])).toEqual([null]);
  gates.release([c]);
  started(start('d', east));
  wait('c');
  expect(nudged).toEqual(['c']);
  gates.release([b]);
  expect(nudged).toEqual(['c', 'c']);
  started(start('c', west));
});

describe('orders of an earlier version, whose pool has one member less,', () => {
  const members = (weight: number | null) => ({
    membersOf: ({ orderId: id }: ProcessRecord) => {
      const ofWest = id.startsWith('old') ? weight : 1;
      return [
        { agent: east, weight: 1 },
        ...(ofWest === null ? [] : [{ agent: west, weight: ofWest }]),
      ];
    },
  });

  test.each([
    ['is missing', null],
    ['has no weight', 0],
  ])('get no slot of one that %s, and keep none from others', async (_, weight) => {
    const { gates, nudged, start, wait } = await tills(1, members(weight));
    const a = started(start('a', east));
    const b = started(start('b', west));
    for (const order of ['old1', 'new1', 'old2', 'new2']) wait(order);
    gates.release([b]);
    expect(nudged).toEqual(['new1']);
    const new1 = started(start('new1', west));
    gates.release([new1]);
    expect(nudged).toEqual(['new1', 'new2']);
    started(start('new2', west));
    gates.release([a]);
    expect(nudged).toEqual(['new1', 'new2', 'old1']);
    started(start('old1', east));
  });

  test('share its agents with those of later ones in turns', async () => {
    const { gates, nudged, start, wait } = await tills(1, members(null));
    let busy = started(start('a', east));
    started(start('b', west));
    const orders = ['old1', 'old2', 'old3', 'new1', 'new2', 'new3'];
    for (const order of orders) wait(order);
    for (let turn = 0; turn < orders.length; turn += 1) {
      gates.release([busy]);
      busy = started(start(nudged[turn] ?? '', east));
    }
    expect(nudged.toSorted()).toEqual(orders.toSorted());
    expect(nudged.map((order) => order.slice(0, 3))).toEqual([
      'new',
      'old',
      'new',
      'old',
      'new',
      'old',
    ]);
  });

  test('get slots of one to which operators give a weight', async () => {
    let given = 0;
    const { gates, nudged, start, wait } = await tills(1, {
      ...members(0),
      weightOf: ({ weight }) => weight || given,
    });
    started(start('a', east));
    const b = started(start('b', west));
    wait('old1');
    gates.release([b]);
    expect(nudged).toEqual([]);
    given = 1;
    gates.onSettings();
    expect(nudged).toEqual(['old1']);
    started(start('old1', west));
  });

  test('are forgotten where they wait', async () => {
    const { gates, nudged, start, wait, store } = await tills(1, members(null));
    const a = started(start('a', east));
    started(start('b', west));
    wait('old1');
    wait('old2');
    store(recordOf('old1', null));
    gates.release([a]);
    expect(nudged).toEqual(['old2']);
  });
});

test('a slot that its order does not take within ten seconds goes to the next', async () => {
  const { gates, nudged, start, wait, clock } = await tills();
  const a = started(start('a', east));
  start('b', west);
  wait('c');
  wait('d');
  gates.release([a]);
  expect(nudged).toEqual(['c']);
  await clock.advance(10_000);
  expect(nudged).toEqual(['c', 'd']);
  expect(start('d', east)).not.toBeNull();
});

test('an order that waits no more gives the slot that was lent to it back', async () => {
  const { gates, nudged, start, wait, store } = await tills();
  const a = started(start('a', east));
  start('b', west);
  wait('c');
  wait('d');
  gates.release([a]);
  store(recordOf('c', null));
  expect(nudged).toEqual(['c', 'd']);
  expect(start('d', east)).not.toBeNull();
});

test('a step that is undone first waits with the key of its undo, as in the undo of its order', async () => {
  const { gates, nudged, start, store } = await tills();
  const a = started(start('a', east));
  const held = recordOf('b', east);
  const undoFirst = { isDone: false, performFailures: 2 } as const;
  const steps = held.steps.map((step) => ({ ...step, undoFirst, keyGeneration: 2 }));
  store({ ...held, steps });
  store({ ...held, steps, direction: 'undo' });
  gates.release([a]);
  expect(nudged).toEqual(['b']);
  expect(start('b', east)).toBeNull();
  const key = idempotencyKey(orderId('b'), collect, 'undo', 2);
  const undo = { ...requestOf('b', east), action: 'undo', idempotencyKey: key } as const;
  expect(gates.ask([undo])).toEqual([null]);
});

test('a step that is bound to a member from now on waits for no other one', async () => {
  const { gates, nudged, start, wait } = await tills();
  start('a', east);
  const b = started(start('b', west));
  wait('c');
  wait('c', east);
  gates.release([b]);
  expect(nudged).toEqual([]);
});

test('a request to a member that was removed says which agent is missing', async () => {
  const { gates } = await tills();
  expect(() => gates.ask([requestOf('a', 'north')])).toThrow(
    expect.objectContaining({ code: 'agent-missing', message: expect.stringContaining('north') }),
  );
});

test('a slot is lent once', async () => {
  const { gates, nudged, start, wait } = await tills();
  const a = started(start('a', east));
  const b = started(start('b', west));
  for (const order of ['c', 'd', 'e']) wait(order);
  gates.release([a, b]);
  expect(nudged).toEqual(['c', 'd']);
  for (const order of ['c', 'd']) expect(start(order, east) ?? start(order, west)).not.toBeNull();
  gates.release([requestOf('c', east), requestOf('c', west)]);
  expect(nudged).toEqual(['c', 'd', 'e']);
});

test('a member whose circuit is open gets no step that the other one can begin', async () => {
  const { gates, nudged, start, wait } = await tills();
  fail(gates, east);
  wait('bound', east);
  const b = started(start('b', west));
  wait('c');
  wait('d');
  expect(nudged).toEqual([]);
  gates.release([b]);
  expect(nudged).toEqual(['c']);
  expect(start('c', east)).toBeNull();
  expect(start('c', west)).not.toBeNull();
});

test('steps that wait for a member are its probes, before those that wait for any', async () => {
  const { gates, nudged, start, wait, clock } = await tills();
  fail(gates, east);
  start('b', west);
  wait('any');
  wait('bound', east);
  await clock.advance(2_000);
  expect(nudged).toEqual(['bound']);
});

test('a probe that is not made is made by the next step that waits for the pool', async () => {
  const { gates, nudged, start, wait, store, clock } = await tills();
  fail(gates, east);
  start('b', west);
  wait('c');
  wait('d');
  await clock.advance(1_000);
  expect(nudged).toEqual(['c']);
  store(recordOf('c', null));
  await clock.advance(1_000);
  expect(nudged).toEqual(['c', 'd']);
  expect(start('d', east)).not.toBeNull();
});

test('steps of a member and steps of its pool are served in turn', async () => {
  const { gates, nudged, start, wait } = await tills();
  const served = { bound: 0, any: 0 };
  start('west-is-busy', west);
  let open = started(start('first', east));
  for (let order = 0; order < 40; order += 1) {
    wait(`bound-${order}`, east);
    wait(`any-${order}`);
  }
  for (let call = 0; call < 40; call += 1) {
    gates.release([open]);
    const next = nudged.at(-1) ?? '';
    served[next.startsWith('bound') ? 'bound' : 'any'] += 1;
    open = started(start(next, east));
  }
  expect(served).toEqual({ bound: 20, any: 20 });
});

test('a higher class gets its share of the slots of a pool, and no class starves', async () => {
  const { gates, nudged, start, wait } = await tills();
  start('west-is-busy', west);
  let open = started(start('first', east));
  for (const priority of ['low', 'normal', 'high'] satisfies Priority[]) {
    for (let order = 0; order < 60; order += 1) {
      wait(`${priority}-${order}`, pool, { priority });
    }
  }
  const served = { high: 0, normal: 0, low: 0 };
  for (let call = 0; call < 63; call += 1) {
    gates.release([open]);
    const next = nudged.at(-1) ?? '';
    for (const each of ['high', 'normal', 'low'] as const) {
      if (next.startsWith(each)) served[each] += 1;
    }
    open = started(start(next, east));
  }
  expect(served.high).toBeGreaterThanOrEqual(45);
  expect(served.normal).toBeGreaterThanOrEqual(10);
  expect(served.low).toBeGreaterThanOrEqual(2);
});
