/**
 * A lost answer is harmless: a real server applies the write, and its answer is lost once, so that the SDK retries,
 * or on every try of the SDK, so that the role does (R12).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { dynamoCoordination } from '#aws/store/dynamo-coordination.ts';
import { dynamoStore } from '#aws/store/dynamo-store.ts';
import type { TableNames } from '#aws/store/tables.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import { UnavailableError } from '#core/model/errors.ts';
import type { RecordEvent } from '#core/model/event.ts';
import { agentName, type OrderId, orderId, schedulerId, stepName } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Coordination } from '#ports/coordination.ts';
import type { StateStore } from '#ports/state-store.ts';
import { submission } from '#roles/submission.ts';
import { transitions } from '#roles/transitions/transitions.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { sha256, systemIds, systemRandom } from '#runtime/node/system-ids.ts';
import {
  createTables,
  type DynamoServer,
  startDynoxide,
  testDynamoClient,
} from '../support/dynamo-server.ts';
import { testLog } from '../support/log.ts';
import { type LosingProxy, losingProxy } from '../support/losing-proxy.ts';
import { details, house, largeOrder, newOrder } from '../support/orders.ts';
import { type VirtualClock, virtualClock } from '../support/virtual-clock.ts';

let server: DynamoServer;
let proxy: LosingProxy;
beforeAll(async () => {
  server = await startDynoxide();
  proxy = await losingProxy(server.url);
});
afterAll(async () => {
  proxy.close();
  await server.close();
});

const registry = workflowRegistry([house]);
const second = 1_000;
const waits = { clock: systemClock, random: systemRandom };
const precision = { shards: 2, sweepPeriodMs: second, keepEndedMs: second, ...waits };
let tables: TableNames;
let clock: VirtualClock;
let direct: StateStore;
let unreliable: StateStore;
let sent: string[];
let orders = 0;

beforeEach(async () => {
  clock = virtualClock();
  sent = [];
  tables = await createTables(server.client);
  direct = dynamoStore({ client: server.client, tables, log: testLog(), ...precision });
  unreliable = dynamoStore({
    client: testDynamoClient(proxy.url),
    tables,
    log: testLog(),
    ...precision,
  });
});

const channels = {
  nudges: {
    async send(messages: readonly { orderId: string }[]) {
      sent.push(...messages.map((nudge) => `nudge ${nudge.orderId}`));
    },
  },
  requests: {
    async send(messages: readonly { step: string; attempt: number; action: string }[]) {
      sent.push(...messages.map(({ action, step, attempt }) => `${action} ${step} ${attempt}`));
    },
  },
};

function roles(store: StateStore) {
  orders += 1;
  const ids = systemIds(clock, `instance-${orders}`);
  const log = testLog();
  // Waits between conflicts end at once.
  const now = { now: clock.now, after: systemClock.after };
  const ports = { store, channels, clock: now, ids, random: systemRandom, log, registry };
  return {
    transitions: transitions(ports),
    submission: submission({ ...ports, digest: sha256, responseChannels: [] }),
  };
}

async function apply(store: StateStore, id: OrderId, event: RecordEvent) {
  const [outcome] = await roles(store).transitions.apply([{ orderId: id, event: () => event }]);
  return outcome;
}

const claim: RecordEvent = { type: 'claim', by: schedulerId('scheduler') };
const cancel: RecordEvent = { type: 'cancel', by: 'operator' };
const paint = agentName('paint');

async function stored(id: OrderId): Promise<ProcessRecord> {
  const record = (await direct.records([id])).get(id);
  if (record === undefined) throw new Error(`no order ${id}`);
  return record;
}

async function of(id: OrderId, step: string) {
  const name = stepName(step);
  const found = (await stored(id)).steps.find((one) => one.name === name);
  return { step: name, attempt: found?.attempt ?? 0, agent: paint };
}

const happens = (id: OrderId, event: RecordEvent) => apply(direct, id, event);
const succeeds = async (id: OrderId, step: string) =>
  happens(id, { type: 'stepSucceeded', ...(await of(id, step)), output: { litres: 1 } });
const fault = { code: 'refused', message: 'No.', effect: 'none' } as const;

async function created(): Promise<OrderId> {
  orders += 1;
  const { order, record } = newOrder(`order-${orders}`, clock.now());
  await direct.create(order, record);
  return record.orderId;
}
async function running(): Promise<OrderId> {
  const id = await created();
  await happens(id, claim);
  return id;
}
async function wallsDone(): Promise<OrderId> {
  const id = await running();
  await succeeds(id, 'east');
  await succeeds(id, 'west');
  return id;
}
async function undoing(): Promise<OrderId> {
  const id = await wallsDone();
  await happens(id, { type: 'stepFailed', ...(await of(id, 'roof')), fault });
  await happens(id, claim);
  return id;
}
/** Runs the roof's attempts until its retries are exhausted. */
async function inError(): Promise<OrderId> {
  const id = await wallsDone();
  for (let rounds = 0; rounds < 20; rounds += 1) {
    const { processState } = await stored(id);
    if (processState === 'Error') return id;
    clock.jump(61 * second);
    await happens(id, processState === 'Pending' ? claim : { type: 'expired' });
  }
  throw new Error('never in Error');
}

type Prepared = { readonly id: OrderId; readonly event: RecordEvent };

const writes: Record<string, () => Promise<Prepared>> = {
  claim: async () => ({ id: await created(), event: claim }),
  'success of one of several steps': async () => {
    const id = await running();
    return {
      id,
      event: { type: 'stepSucceeded', ...(await of(id, 'east')), output: { litres: 1 } },
    };
  },
  'success that starts the next step': async () => {
    const id = await running();
    await succeeds(id, 'east');
    return {
      id,
      event: { type: 'stepSucceeded', ...(await of(id, 'west')), output: { litres: 1 } },
    };
  },
  'success of the last step': async () => {
    const id = await wallsDone();
    return {
      id,
      event: { type: 'stepSucceeded', ...(await of(id, 'roof')), output: { litres: 1 } },
    };
  },
  fault: async () => {
    const id = await wallsDone();
    return { id, event: { type: 'stepFailed', ...(await of(id, 'roof')), fault } };
  },
  expiry: async () => {
    const id = await running();
    clock.jump(12 * second);
    return { id, event: { type: 'expired' } };
  },
  'interruption by an outage': async () => {
    const id = await running();
    clock.jump(12 * second);
    const steps = [stepName('east'), stepName('west')];
    return { id, event: { type: 'interrupted', reason: 'outage', notBefore: clock.now(), steps } };
  },
  cancel: async () => ({ id: await running(), event: cancel }),
  resubmit: async () => ({ id: await inError(), event: { type: 'resubmit', by: 'operator' } }),
  'success of an undo': async () => {
    const id = await undoing();
    return { id, event: { type: 'undoSucceeded', ...(await of(id, 'east')) } };
  },
};

/** The SDK's own tries, which lib/aws/clients sets. */
const sdkTries = 3;

describe.each(Object.entries(writes))('the write of a %s', (_, prepare) => {
  test.each([1, sdkTries])(
    'is done once, and its messages are sent once, though %i answers are lost',
    async (lost) => {
      const twin = await prepare();
      sent = [];
      await apply(direct, twin.id, twin.event);
      const wanted = sent.map((line) => line.replace(twin.id, 'the order'));
      const twinRecord = await stored(twin.id);

      const { id, event } = await prepare();
      const before = await stored(id);
      sent = [];
      const arrived = proxy.applied('PutItem');
      proxy.lose('PutItem', lost);
      const outcome = await apply(unreliable, id, event);

      expect(outcome?.kind).toBe('committed');
      expect(proxy.applied('PutItem')).toBe(arrived + lost + 1);
      const after = await stored(id);
      expect(after.revision).toBe(before.revision + 1);
      expect(after.history.map(({ type }) => type)).toEqual(
        twinRecord.history.map(({ type }) => type),
      );
      expect(after.steps.map(({ attempt }) => attempt)).toEqual(
        twinRecord.steps.map(({ attempt }) => attempt),
      );
      expect(sent.map((line) => line.replace(id, 'the order'))).toEqual(wanted);
    },
  );
});

test.each([1, sdkTries])('a submission of which %i answers are lost is one order', async (lost) => {
  const request = {
    workflow: 'house',
    details,
    priority: 'normal',
    tenant: null,
    correlationId: null,
    replyTo: null,
  } as const;
  proxy.lose('PutItem', lost);
  const { submission: role } = roles(unreliable);
  const submit = () => role.submit({ ...request, key: 'cart-1' }, 'ada');
  // When every try was lost, the submitter gets an error and submits again with its key.
  const outcome = await submit().catch(submit);
  expect(outcome).toMatchObject({ kind: 'accepted', processState: 'Pending' });
  const { items } = await direct.list({ processState: null, limit: 10, cursor: null });
  expect(items.map(({ revision }) => revision)).toEqual([1]);
  expect(sent).toEqual([`nudge ${items[0]?.orderId}`]);
});

/** Requested agents reply; for others the Supervisor recovers the order. */
async function broughtToItsEnd(id: OrderId): Promise<string> {
  for (let rounds = 0; rounds < 30; rounds += 1) {
    const { processState, steps } = await stored(id);
    if (processState === 'Processed' || processState === 'Undone') return processState;
    let answered = 0;
    for (const { name, attempt, progress } of steps) {
      const reply = { step: name, attempt, agent: paint };
      if (progress.state === 'Running' && sent.includes(`perform ${name} ${attempt}`)) {
        await happens(id, { type: 'stepSucceeded', ...reply, output: { litres: 1 } });
        answered += 1;
      }
      if (progress.state === 'Undoing' && sent.includes(`undo ${name} ${attempt}`)) {
        await happens(id, { type: 'undoSucceeded', ...reply });
        answered += 1;
      }
    }
    if (answered > 0) continue;
    clock.jump(61 * second);
    await happens(id, processState === 'Pending' ? claim : { type: 'expired' });
  }
  throw new Error('never at its end');
}

function expectNoDuplicateRequests(): void {
  const asked = sent.filter((line) => !line.startsWith('nudge'));
  expect(asked.toSorted()).toEqual([...new Set(asked)].toSorted());
}

const overtaken: [string, string, (id: OrderId) => Promise<RecordEvent>, string][] = [
  ['claim', 'an operator', async () => cancel, 'Undone'],
  [
    'success of one of several steps',
    'another agent',
    async (id) => ({ type: 'stepSucceeded', ...(await of(id, 'west')), output: { litres: 1 } }),
    'Processed',
  ],
  ['success that starts the next step', 'an operator', async () => cancel, 'Undone'],
  ['expiry', 'a Scheduler', async () => claim, 'Processed'],
  ['resubmit', 'a Scheduler', async () => claim, 'Processed'],
];

test.each(overtaken)(
  'a lost %s that %s overtakes is decided again: no step is lost, and none requested twice',
  async (write, _, other, end) => {
    const prepare = writes[write];
    if (prepare === undefined) throw new Error(`no write of a ${write}`);
    const { id, event } = await prepare();
    const before = (await stored(id)).history.map(({ type }) => type);
    let overtaking: string | undefined;
    const store: StateStore = {
      ...unreliable,
      async commit(record, replaced) {
        try {
          return await unreliable.commit(record, replaced);
        } catch (error) {
          // Another writer commits between the lost answers and the second request.
          const next = await other(id);
          await happens(id, next);
          overtaking = next.type;
          throw error;
        }
      },
    };
    proxy.lose('PutItem', sdkTries);
    expect((await apply(store, id, event))?.kind).toBe('ignored');
    const { history } = await stored(id);
    expect(history.map(({ type }) => type)).toEqual([...before, event.type, overtaking]);
    expect(await broughtToItsEnd(id)).toBe(end);
    expectNoDuplicateRequests();
  },
);

test('a claim whose answers are all lost sends nothing; its deadlines bring the order to its end', async () => {
  const id = await created();
  proxy.lose('PutItem', 2 * sdkTries);
  expect((await apply(unreliable, id, claim))?.kind).toBe('failed');
  expect(sent).toEqual([]);
  // SQS delivers the message again.
  expect((await apply(unreliable, id, claim))?.kind).toBe('ignored');
  expect(await broughtToItsEnd(id)).toBe('Processed');
  expectNoDuplicateRequests();
});

test('a read whose answer is lost is repeated', async () => {
  const id = await created();
  proxy.lose('BatchGetItem', 1);
  expect((await unreliable.records([id])).size).toBe(1);
  proxy.lose('Query', 1);
  const query = { shard: 0, from: 0, to: Number.MAX_SAFE_INTEGER, limit: 10, cursor: null };
  expect((await unreliable.due(query)).cursor).toBeNull();
});

describe('an answer that arrives too late ends the wait, and its write is recognised', () => {
  const impatient = (tables: TableNames) =>
    dynamoStore({ client: testDynamoClient(proxy.url, 200), tables, log: testLog(), ...precision });

  test.each([
    ['one item', newOrder, 'PutItem'],
    ['two items', largeOrder, 'TransactWriteItems'],
  ])('on create of %s', async (_, made, operation) => {
    const store = impatient(await createTables(server.client));
    const { order, record } = made('late', clock.now());
    const before = proxy.applied(operation);
    proxy.delay(operation, 5_000);
    expect(await store.create(order, record)).toBe('created');
    expect(proxy.applied(operation)).toBe(before + 2);
  });

  test('on commit', async () => {
    const id = await created();
    sent = [];
    const before = proxy.applied('PutItem');
    proxy.delay('PutItem', 5_000);
    const outcome = await apply(impatient(tables), id, claim);
    expect(outcome).toMatchObject({ kind: 'committed', record: { revision: 2 } });
    expect((await stored(id)).revision).toBe(2);
    expect(sent).toEqual(['perform east 1', 'perform west 1']);
    expect(proxy.applied('PutItem')).toBe(before + 2);
  });
});

describe('the coordination of Supervisors', () => {
  const lease = { holder: 'me', leaseMs: 60_000 };
  const memory = { aliveAt: 5, waitingFrom: 2, gaps: [{ from: 1, until: 3 }], rampAt: 4 };
  test.each([1, 2])(
    'acquires, releases and remembers, though %i answers of each are lost',
    async (lost) => {
      const { coordination: table } = await createTables(server.client);
      const coordination = dynamoCoordination(testDynamoClient(proxy.url), table, waits);
      const nowMs = clock.now();
      proxy.lose('UpdateItem', lost);
      const other = { ...lease, nowMs, holder: 'other' };
      expect(await coordination.acquire(0, { ...lease, nowMs }, memory)).toEqual(memory);
      expect(await coordination.acquire(0, other, memory)).toBeNull();
      proxy.lose('PutItem', lost);
      await coordination.remember({
        sweptAt: nowMs,
        nowMs: nowMs,
        reachedAt: null,
        shardCounts: [2],
        complete: true,
      });
      expect(await coordination.recall(2)).toMatchObject({
        sweptAt: nowMs,
        unfinished: new Map([[0, memory]]),
      });
      proxy.lose('UpdateItem', lost);
      await coordination.finish(0, 'me', 5);
      expect((await coordination.recall(2)).unfinished.size).toBe(0);
      expect(await coordination.acquire(0, other, memory)).toEqual(memory);
    },
  );

  const calls: [string, string, (coordination: Coordination, nowMs: number) => Promise<unknown>][] =
    [
      ['acquire', 'UpdateItem', (it, nowMs) => it.acquire(0, { ...lease, nowMs }, memory)],
      ['keep', 'UpdateItem', (it) => it.keep(0, 'me', { ...memory, aliveAt: 6 })],
      ['finish', 'UpdateItem', (it) => it.finish(0, 'me', 8)],
      ['release', 'UpdateItem', (it) => it.release(0, 'me', { ...memory, gaps: [] })],
      [
        'remember',
        'PutItem',
        (it, nowMs) =>
          it.remember({
            sweptAt: nowMs,
            nowMs: nowMs,
            reachedAt: null,
            shardCounts: [2],
            complete: true,
          }),
      ],
      [
        'remember, incomplete',
        'UpdateItem',
        (it, nowMs) =>
          it.remember({
            sweptAt: nowMs,
            nowMs: nowMs,
            reachedAt: null,
            shardCounts: [2],
            complete: false,
          }),
      ],
    ];
  test.each(calls)(
    '%s without any answer is an error, and has one effect when repeated',
    async (_, operation, call) => {
      const nowMs = clock.now();
      const twin = async (lost: number) => {
        const { coordination: table } = await createTables(server.client);
        const coordination = dynamoCoordination(testDynamoClient(proxy.url), table, waits);
        await coordination.acquire(0, { ...lease, nowMs }, memory);
        proxy.lose(operation, lost);
        if (lost > 0) await expect(call(coordination, nowMs)).rejects.toThrow(UnavailableError);
        const answer = await call(coordination, nowMs);
        const recalled = await coordination.recall(2);
        const free = await coordination.acquire(0, { ...lease, nowMs, holder: 'other' }, memory);
        return { answer, recalled, free };
      };
      expect(await twin(sdkTries)).toEqual(await twin(0));
    },
  );
});

test('the id of a missing order finds none', async () => {
  expect(await apply(unreliable, orderId('nobody'), claim)).toEqual({ kind: 'unknown-order' });
});
