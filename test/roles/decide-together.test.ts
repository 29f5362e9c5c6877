/** Replies for one order that arrive together share one write. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RefusedError, UnavailableError } from '#core/model/errors.ts';
import type { RecordEvent } from '#core/model/event.ts';
import { agentName, orderId, schedulerId, stepName, writeId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { replay } from '#core/view/replay.ts';
import type { StateStore } from '#ports/state-store.ts';
import { house, succeeded } from '../support/orders.ts';
import { roleScenario } from './scenario.ts';

const one = orderId('one');
const by = { attempt: 1, agent: agentName('paint') };
const painted = (step: string): RecordEvent => ({
  type: 'stepSucceeded',
  step: stepName(step),
  ...by,
  output: { litres: 3 },
});
const failed = (step: string): RecordEvent => ({
  type: 'stepFailed',
  step: stepName(step),
  ...by,
  fault: { code: 'no-paint', message: 'There is no paint.', effect: 'none' },
});
const beating = (step: string): RecordEvent => ({ type: 'heartbeat', step: stepName(step), ...by });
const cancel: RecordEvent = { type: 'cancel', by: 'operator' };
const forOne = (event: RecordEvent) => ({ orderId: one, event: () => event });

const kinds = (outcomes: readonly { readonly kind: string }[]) => outcomes.map(({ kind }) => kind);
const entries = ({ history }: ProcessRecord) => history.map(({ type }) => type);

test('the replies of parallel steps are decided in sequence and written once', async () => {
  const { transitions, happened, createClaimed, record } = roleScenario();
  await createClaimed('one');
  const outcomes = await transitions.apply([forOne(painted('east')), forOne(painted('west'))]);
  expect(happened.filter(({ did }) => did === 'commit')).toEqual([{ did: 'commit', revision: 4 }]);
  const stored = await record(one);
  expect(outcomes).toEqual([
    { kind: 'committed', record: stored },
    { kind: 'committed', record: stored },
  ]);
  expect(entries(stored)).toEqual(['submit', 'claim', 'stepSucceeded', 'stepSucceeded']);
});

test('what the last of them starts is requested after the write', async () => {
  const { transitions, happened, createClaimed, requests } = roleScenario();
  await createClaimed('one');
  await transitions.apply([forOne(painted('east')), forOne(painted('west'))]);
  expect(happened.map(({ did }) => did)).toEqual(['commit', 'request']);
  expect(requests()).toMatchObject([{ step: 'roof', attempt: 1 }]);
});

test('a reply that repeats another one of its batch is ignored, and the others count', async () => {
  const { transitions, happened, createClaimed } = roleScenario();
  await createClaimed('one');
  const outcomes = await transitions.apply(
    [painted('east'), painted('east'), painted('west')].map(forOne),
  );
  expect(kinds(outcomes)).toEqual(['committed', 'ignored', 'committed']);
  expect(happened.filter(({ did }) => did === 'commit')).toHaveLength(1);
});

test('each change of the process state has a write of its own (R18)', async () => {
  const { transitions, store, happened, createClaimed, record } = roleScenario();
  const running = await createClaimed('one');
  const steps = running.steps.map((step) => ({
    ...step,
    policy: { ...step.policy, onFault: 'hold' as const },
  }));
  await store.commit({ ...running, steps, revision: 3, writeId: writeId('held') });
  await transitions.apply([failed('east'), painted('west')].map(forOne));
  const { processState } = await record(one);
  expect(processState).toBe('Error');
  expect(happened.filter(({ did }) => did === 'commit')).toHaveLength(2);
});

test('an event of another kind than a reply has a write of its own', async () => {
  const { transitions, happened, createClaimed, record } = roleScenario();
  await createClaimed('one');
  await transitions.apply([painted('east'), cancel, painted('west')].map(forOne));
  expect(happened.filter(({ did }) => did === 'commit')).toHaveLength(3);
  expect(entries(await record(one)).slice(2)).toEqual(['stepSucceeded', 'cancel', 'stepSucceeded']);
});

test('an event that throws fails alone: those before it are written with what they start, and those after it too', async () => {
  const { transitions, createClaimed, record, requests } = roleScenario();
  await createClaimed('one');
  const throwing = {
    orderId: one,
    event: () => {
      throw new Error('a defect');
    },
  };
  const events = [forOne(painted('east')), throwing, forOne(painted('west'))];
  const outcomes = await transitions.apply(events);
  expect(kinds(outcomes)).toEqual(['committed', 'failed', 'committed']);
  expect(entries(await record(one))).toEqual(['submit', 'claim', 'stepSucceeded', 'stepSucceeded']);
  expect(requests()).toMatchObject([{ step: 'roof' }]);
});

test('after a conflict, all of them are decided again on the record that won', async () => {
  let hasInterfered = false;
  const interfering = (store: StateStore): StateStore => ({
    ...store,
    async commit(record, replaced) {
      if (!hasInterfered) {
        hasInterfered = true;
        const before = (await store.records([one])).get(one);
        if (before !== undefined) await store.commit(succeeded(before, 'west', before.updatedAt));
      }
      return store.commit(record, replaced);
    },
  });
  const { transitions, createClaimed, requests } = roleScenario(interfering);
  await createClaimed('one');
  const outcomes = await transitions.apply([painted('east'), painted('west')].map(forOne));
  expect(kinds(outcomes)).toEqual(['committed', 'ignored']);
  expect(requests()).toMatchObject([{ step: 'roof' }]);
});

test('when their write fails, none of them counts as applied', async () => {
  const { transitions, happened, createClaimed } = roleScenario((store) => ({
    ...store,
    commit: () => Promise.reject(new UnavailableError('store-unavailable', 'no answer')),
  }));
  await createClaimed('one');
  const outcomes = await transitions.apply([painted('east'), painted('west')].map(forOne));
  expect(kinds(outcomes)).toEqual(['failed', 'failed']);
  expect(happened).toEqual([]);
});

test('when the store refuses their write, each of them is written separately', async () => {
  const { transitions, happened, createClaimed, record } = roleScenario((store) => ({
    ...store,
    async commit(next, replaced) {
      if (replaced === next.revision - 1) return store.commit(next, replaced);
      throw new RefusedError('store-refused', 'Over 400 KB.');
    },
  }));
  await createClaimed('one');
  const outcomes = await transitions.apply([painted('east'), painted('west')].map(forOne));
  expect(kinds(outcomes)).toEqual(['committed', 'committed']);
  expect(happened.map(({ did }) => did)).toEqual(['commit', 'commit', 'request']);
  expect(entries(await record(one))).not.toContain('shortened');
});

test('the orders of a batch are as after one event at a time, and their histories replay', async () => {
  const replies = ['east', 'west', 'roof'].flatMap((step) => [
    painted(step),
    failed(step),
    beating(step),
  ]);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom(...replies, cancel), { maxLength: 8 }),
      async (all) => {
        const [together, separately] = [roleScenario(), roleScenario()];
        for (const world of [together, separately]) {
          await world.create('one');
          const claim = { type: 'claim', by: schedulerId('scheduler') } as const;
          await world.transitions.apply([forOne(claim)]);
        }
        const outcomes = await together.transitions.apply(all.map(forOne));
        const expected = [];
        for (const event of all) {
          expected.push(...(await separately.transitions.apply([forOne(event)])));
        }
        const [is, was] = [await together.record(one), await separately.record(one)];
        expect(kinds(outcomes)).toEqual(kinds(expected));
        expect({ ...is, writeId: '' }).toEqual({ ...was, writeId: '' });
        expect(together.requests()).toEqual(separately.requests());
        expect(together.nudges()).toEqual(separately.nudges());
        const known = { definition: house, details: {} };
        expect(replay(is, known).at(-1)).toMatchObject({ revision: is.revision, steps: is.steps });
      },
    ),
    { numRuns: 100 },
  );
});
