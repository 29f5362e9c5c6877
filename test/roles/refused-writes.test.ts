/** Batches whose store cannot read, refuses or fails; and messages that cannot be sent. */
import { expect, test } from 'vitest';
import { CorruptDataError, RefusedError, UnavailableError } from '#core/model/errors.ts';
import type { RecordEvent } from '#core/model/event.ts';
import {
  agentName,
  type OrderId,
  orderId,
  schedulerId,
  stepName,
  writeId,
} from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Channels } from '#ports/channels.ts';
import type { StateStore } from '#ports/state-store.ts';
import { transitions } from '#roles/transitions/transitions.ts';
import { systemIds, systemRandom } from '#runtime/node/system-ids.ts';
import { type RoleScenario, roleScenario } from './scenario.ts';

const claim: RecordEvent = { type: 'claim', by: schedulerId('scheduler') };
const fromEast = { step: stepName('east'), attempt: 1, agent: agentName('paint') };
const painted: RecordEvent = { type: 'stepSucceeded', ...fromEast, output: { litres: 3 } };
const happening = (id: string, event: RecordEvent) => ({
  orderId: orderId(id),
  event: () => event,
});
const kinds = (outcomes: readonly { readonly kind: string }[]) => outcomes.map(({ kind }) => kind);

/** The real store, with a record of its reads. */
function noting(asked: string[], faulty: Partial<StateStore> = {}) {
  return (store: StateStore): StateStore => {
    const whole = { ...store, ...faulty };
    return {
      ...whole,
      records(ids) {
        asked.push(`records ${ids}`);
        return whole.records(ids);
      },
      orders(ids) {
        asked.push(`orders ${ids}`);
        return whole.orders(ids);
      },
      commit(record) {
        asked.push(`commit ${record.orderId}`);
        return whole.commit(record);
      },
    };
  };
}

test('details are read only for events that need them, and each order of a batch is read once', async () => {
  const asked: string[] = [];
  const world = roleScenario(noting(asked));
  await world.create('one');
  await world.createClaimed('two');
  const swept = (id: string) => ({
    ...happening(id, { type: 'expired' }),
    reads: 'record' as const,
  });
  await world.transitions.apply([swept('two'), happening('one', claim), happening('one', painted)]);
  const commits = ['commit one', 'commit one'];
  expect(asked).toEqual(['records two,one', 'orders one', ...commits]);
  asked.length = 0;
  await world.transitions.apply([swept('one'), swept('two')]);
  expect(asked).toEqual(['records one,two']);
});

test('an unreadable order of a batch fails alone, and the others are decided', async () => {
  const world = roleScenario((store) => ({
    ...store,
    records: (ids) =>
      ids.includes(orderId('bad'))
        ? Promise.reject(new CorruptDataError('row-damaged', 'It was changed on the disk.'))
        : store.records(ids),
  }));
  for (const id of ['bad', 'good']) await world.create(id);
  const outcomes = await world.transitions.apply([
    happening('bad', claim),
    happening('good', claim),
  ]);
  expect(outcomes).toMatchObject([
    { kind: 'failed', error: { code: 'row-damaged' } },
    { kind: 'committed', record: { orderId: 'good' } },
  ]);
});

test('a batch fails as a whole, at once, when the store is unavailable', async () => {
  let reads = 0;
  const world = roleScenario((store) => ({
    ...store,
    records() {
      reads += 1;
      return Promise.reject(new UnavailableError('store-unavailable', 'Later.'));
    },
  }));
  const batch = [happening('one', claim), happening('two', claim)];
  await expect(world.transitions.apply(batch)).rejects.toMatchObject({ code: 'store-unavailable' });
  expect(reads).toBe(1);
});

test.each([
  [
    'is away is asked twice: the answer may have been lost (R12)',
    new UnavailableError('store-unavailable', 'b'),
    2,
  ],
  ['fails for another reason is asked once', new TypeError('x is undefined'), 1],
])('a store that %s', async (_, error, times) => {
  const asked: string[] = [];
  const world = roleScenario(noting(asked, { commit: () => Promise.reject(error) }));
  await world.create('one');
  expect(kinds(await world.transitions.apply([happening('one', claim)]))).toEqual(['failed']);
  expect(asked.filter((what) => what === 'commit one')).toHaveLength(times);
});

/** A store that accepts a record only in its short form, or not even then. */
function full(world: { readonly takes: (record: ProcessRecord) => Promise<boolean> }) {
  return (store: StateStore): StateStore => ({
    ...store,
    async commit(record, replaced) {
      if (await world.takes(record)) return store.commit(record, replaced);
      throw new RefusedError('store-refused', 'Over 400 KB.');
    },
  });
}
const isShort = ({ history }: ProcessRecord) => history.some(({ type }) => type === 'shortened');
const refused = { event: 'order-refused', fields: { orderId: 'one', code: 'store-refused' } };

test('a record that the store refuses is written in its short form, and logged', async () => {
  const world = roleScenario(full({ takes: async (record) => isShort(record) }));
  await world.createClaimed('one');
  const outcomes = await world.transitions.apply([happening('one', painted)]);
  const record = await world.record(orderId('one'));
  expect(outcomes).toEqual([{ kind: 'committed', record }]);
  expect(record.history.map(({ type }) => type)).toContain('shortened');
  expect(record.steps[0]?.progress).toEqual({ state: 'Completed', output: { litres: 3 } });
  expect(world.log.lines).toEqual([refused]);
});

test('a heartbeat that the store refuses is dropped', async () => {
  const world = roleScenario(full({ takes: async (record) => isShort(record) }));
  const claimed = await world.createClaimed('one');
  const lasting = claimed.steps.map((step) =>
    step.progress.state === 'Running'
      ? { ...step, progress: { ...step.progress, endBy: world.clock.now() + 60_000 } }
      : step,
  );
  const next = { ...claimed, steps: lasting, revision: 3, writeId: writeId('lasting') };
  await world.store.commit(next);
  world.clock.jump(6_000);
  const beat: RecordEvent = { type: 'heartbeat', ...fromEast };
  const outcomes = await world.transitions.apply([happening('one', beat)]);
  expect(outcomes).toMatchObject([{ kind: 'ignored', reason: 'record-full' }]);
});

test.each([
  [
    'will not take it in short either: a person must know',
    new RefusedError('store-refused', 'Over 400 KB.'),
    [refused, { ...refused, event: 'order-unwritable' }],
  ],
  [
    'is away by then: it is tried again',
    new UnavailableError('store-unavailable', 'Later.'),
    [refused],
  ],
])('an order whose store %s', async (_, error, lines) => {
  const takes = async (record: ProcessRecord) => {
    if (isShort(record)) throw error;
    return false;
  };
  const world = roleScenario(full({ takes }));
  await world.createClaimed('one');
  const outcomes = await world.transitions.apply([happening('one', painted)]);
  expect(outcomes).toEqual([{ kind: 'failed', error }]);
  expect(world.log.lines).toEqual(lines);
});

/** The same role with channels of the test. */
const over = ({ store, clock, log, registry }: RoleScenario, channels: Channels) =>
  transitions({
    store,
    clock,
    log,
    registry,
    channels,
    random: systemRandom,
    ids: systemIds(clock, 'over'),
  });

const isLate = (id: OrderId) => ({
  ...happening(id, { type: 'expired' }),
  reads: 'record' as const,
});

test('no channel is called without messages', async () => {
  const sent: string[] = [];
  const world = roleScenario();
  const { orderId: id } = await world.create('one');
  const own = over(world, {
    nudges: { send: async (messages) => void sent.push(`${messages.length} nudges`) },
    requests: { send: async (messages) => void sent.push(`${messages.length} requests`) },
  });
  await own.apply([happening('one', claim)]);
  world.clock.jump(12_000);
  await own.apply([isLate(id)]);
  await own.apply([isLate(id)]);
  expect(sent).toEqual(['2 requests', '1 nudges']);
});

test.each([
  [new TypeError('no channel'), 'TypeError'],
  ['a text', 'unknown'],
])('messages that cannot be sent are lost, and their number is logged: %s', async (...row) => {
  const [failure, error] = row;
  const world = roleScenario();
  await world.create('one');
  const fails = { send: () => Promise.reject(failure) };
  const own = over(world, { nudges: fails, requests: fails });
  expect(kinds(await own.apply([happening('one', claim)]))).toEqual(['committed']);
  const fields = { nudges: 0, requests: 2, error, code: null };
  expect(world.log.lines).toEqual([{ event: 'messages-lost', fields }]);
});
