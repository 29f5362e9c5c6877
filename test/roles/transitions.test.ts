import { expect, test } from 'vitest';
import { UnavailableError } from '#core/model/errors.ts';
import type { RecordEvent } from '#core/model/event.ts';
import { agentName, orderId, schedulerId, stepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { StateStore } from '#ports/state-store.ts';
import { house, succeeded } from '../support/orders.ts';
import { roleScenario } from './scenario.ts';

const claim: RecordEvent = { type: 'claim', by: schedulerId('scheduler') };
const painted = (step: string): RecordEvent => ({
  type: 'stepSucceeded',
  step: stepName(step),
  attempt: 1,
  agent: agentName('paint'),
  output: { litres: 3 },
});
const happening = (id: string, event: RecordEvent) => ({
  orderId: orderId(id),
  event: () => event,
});
const unavailable = () => new UnavailableError('store-unavailable', 'no answer');

test('a request to an agent is sent only after its attempt is durable (R13)', async () => {
  const { transitions, happened, create } = roleScenario();
  await create('one');
  await transitions.apply([happening('one', claim)]);
  expect(happened.map(({ did }) => did)).toEqual(['commit', 'request', 'request']);
});

test('a failed write sends nothing, and its message is delivered again', async () => {
  const { transitions, happened, create } = roleScenario((store) => ({
    ...store,
    commit: async () => {
      throw unavailable();
    },
  }));
  await create('one');
  const [outcome] = await transitions.apply([happening('one', claim)]);
  expect(outcome?.kind).toBe('failed');
  expect(happened).toEqual([]);
});

test('a write whose answer was lost is recognised: it is not repeated, and its messages are sent (R12)', async () => {
  let lost = 0;
  const losing = (store: StateStore): StateStore => ({
    ...store,
    async commit(record, replaced) {
      const outcome = await store.commit(record, replaced);
      if (lost > 0) return outcome;
      lost += 1;
      throw unavailable();
    },
  });
  const { transitions, requests, create, record } = roleScenario(losing);
  const { orderId: id } = await create('one');
  const [outcome] = await transitions.apply([happening('one', claim)]);
  expect(lost).toBe(1);
  expect(outcome).toMatchObject({ kind: 'committed' });
  expect(requests().map(({ step, attempt }) => [step, attempt])).toEqual([
    ['east', 1],
    ['west', 1],
  ]);
  expect((await record(id)).revision).toBe(2);
});

test('after a conflict, the event is decided again on the record that won', async () => {
  let interfered = false;
  const interfering = (store: StateStore): StateStore => ({
    ...store,
    async commit(record, replaced) {
      if (!interfered) {
        interfered = true;
        const before = (await store.records([record.orderId])).get(record.orderId);
        if (before !== undefined) await store.commit(succeeded(before, 'west', before.updatedAt));
      }
      return store.commit(record, replaced);
    },
  });
  const { transitions, requests, createClaimed } = roleScenario(interfering);
  await createClaimed('one');
  const [outcome] = await transitions.apply([happening('one', painted('east'))]);
  expect(outcome).toMatchObject({ kind: 'committed', record: { revision: 4 } });
  expect(requests().map(({ step }) => step)).toEqual(['roof']);
});

/** A store on which every write conflicts; records the instants of the tries. */
function contended(triedAt: number[], drawn: number) {
  const world = roleScenario(
    (store) => ({
      ...store,
      async commit() {
        triedAt.push(world.clock.now());
        return 'conflict';
      },
    }),
    [house],
    { next: () => drawn },
  );
  return world;
}

test('an order that changes at every retry is left for a later delivery', async () => {
  const triedAt: number[] = [];
  const { transitions, clock, happened, create } = contended(triedAt, 0.5);
  await create('one');
  const applying = transitions.apply([happening('one', claim)]);
  await clock.advance(5_000);
  const [outcome] = await applying;
  const message = expect.stringContaining(`one changed ${limits.conflictRetriesMax} times`);
  expect(outcome).toMatchObject({ kind: 'failed', error: { code: 'contention', message } });
  expect(triedAt).toHaveLength(limits.conflictRetriesMax + 1);
  expect(happened).toEqual([]);
});

test.each([
  ['the shortest', 0, [3, 5, 10, 20, 40, 80, 100, 100]],
  ['nearly the longest', 0.999_999, [5, 10, 20, 40, 80, 160, 200, 200]],
])('the delays between conflicts grow, and are random: %s', async (_, drawn, expected) => {
  const triedAt: number[] = [];
  const { transitions, clock, create } = contended(triedAt, drawn);
  await create('one');
  const applying = transitions.apply([happening('one', claim)]);
  await clock.advance(5_000);
  await applying;
  const waits = triedAt.slice(1).map((at, tries) => at - (triedAt[tries] ?? 0));
  expect(waits.slice(0, expected.length)).toEqual(expected);
});

test('two Schedulers claim one order: it starts once (R3)', async () => {
  const { transitions, another, requests, create } = roleScenario();
  await create('one');
  const outcomes = await Promise.all(
    [transitions, another()].map((one) => one.apply([happening('one', claim)])),
  );
  expect(
    outcomes
      .flat()
      .map(({ kind }) => kind)
      .toSorted(),
  ).toEqual(['committed', 'ignored']);
  expect(requests()).toHaveLength(2);
});

test('an empty batch has no outcome', async () => {
  expect(await roleScenario().transitions.apply([])).toEqual([]);
});

test('several events of one order in one batch are applied in sequence', async () => {
  const { transitions, requests, createClaimed } = roleScenario();
  await createClaimed('one');
  const outcomes = await transitions.apply([
    happening('one', painted('east')),
    happening('one', painted('west')),
    happening('one', painted('east')),
  ]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['committed', 'committed', 'ignored']);
  expect(requests().map(({ step }) => step)).toEqual(['roof']);
});

test('an order that fails does not block the others of its batch', async () => {
  const { transitions, requests, create } = roleScenario((store) => ({
    ...store,
    async commit(record, replaced) {
      if (record.orderId === 'bad') throw new Error('cannot be written');
      return store.commit(record, replaced);
    },
  }));
  await create('bad');
  await create('good');
  const outcomes = await transitions.apply([
    happening('bad', claim),
    happening('nobody', claim),
    happening('good', claim),
  ]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['failed', 'unknown-order', 'committed']);
  expect(requests().map((request) => request.orderId)).toEqual(['good', 'good']);
});
