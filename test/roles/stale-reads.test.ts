/**
 * A store whose eventually consistent reads lag: a record that they return may be that of any earlier revision, or be missing. No
 * event may be dropped for that, and none may be decided otherwise.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RecordEvent } from '#core/model/event.ts';
import { agentName, type OrderId, orderId, schedulerId, stepName } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { StateStore } from '#ports/state-store.ts';
import { type RoleScenario, roleScenario } from './scenario.ts';

const claim: RecordEvent = { type: 'claim', by: schedulerId('scheduler') };
const painted = (step: string): RecordEvent => {
  const of = { step: stepName(step), attempt: 1, agent: agentName('paint') };
  return { type: 'stepSucceeded', ...of, output: { litres: 3 } };
};
const id = orderId('one');
const happening = (event: RecordEvent, of = id) => ({ orderId: of, event: () => event });

/** How many revisions an eventual read is behind; more than there are: it finds nothing. */
type Lag = () => number;

interface Lagging extends RoleScenario {
  /** Of the record, in the sequence in which they were asked. */
  readonly reads: string[];
}

function lagging(lag: Lag): Lagging {
  const reads: string[] = [];
  const former = new Map<OrderId, ProcessRecord[]>();
  const scenario = roleScenario((store): StateStore => {
    /** Keeps what is stored now, so that later reads may be behind. */
    const seen = async (ids: readonly OrderId[]) => {
      for (const [orderId, record] of await store.records(ids)) {
        const revisions = former.get(orderId) ?? [];
        if (revisions.at(-1)?.revision !== record.revision) revisions.push(record);
        former.set(orderId, revisions);
      }
    };
    return {
      ...store,
      async commit(record, replaced) {
        await seen([record.orderId]);
        return store.commit(record, replaced);
      },
      records(ids) {
        reads.push('consistent');
        return store.records(ids);
      },
      async eventualRecords(ids) {
        reads.push('eventual');
        await seen(ids);
        const found = new Map<OrderId, ProcessRecord>();
        for (const orderId of ids) {
          const record = former.get(orderId)?.at(-1 - lag());
          if (record !== undefined) found.set(orderId, record);
        }
        return found;
      },
    };
  });
  return { ...scenario, reads };
}

test('an event is decided on one eventual read where that is up to date', async () => {
  const { transitions, create, reads } = lagging(() => 0);
  await create('one');
  const [outcome] = await transitions.apply([happening(claim)]);
  expect(outcome?.kind).toBe('committed');
  expect(reads).toEqual(['eventual']);
});

test('a nudge of an order that an eventual read does not find yet claims it', async () => {
  const { transitions, create, reads, requests } = lagging(() => 9);
  await create('one');
  const [outcome] = await transitions.apply([happening(claim)]);
  expect(outcome?.kind).toBe('committed');
  expect(requests()).toHaveLength(2);
  expect(reads).toEqual(['eventual', 'consistent']);
});

test('a reply to an attempt that an eventual read does not show yet is not ignored', async () => {
  const { transitions, create, reads } = lagging(() => 1);
  await create('one');
  await transitions.apply([happening(claim)]);
  reads.length = 0;
  const [outcome] = await transitions.apply([happening(painted('east'))]);
  expect(outcome).toMatchObject({ kind: 'committed', record: { revision: 3 } });
  expect(reads).toEqual(['eventual', 'consistent']);
});

test('a decision on an earlier revision is a conflict, and made again on the latest one', async () => {
  let behind = 0;
  const { transitions, create, reads, record } = lagging(() => behind);
  await create('one');
  await transitions.apply([happening(claim)]);
  await transitions.apply([happening(painted('east'))]);
  behind = 1;
  reads.length = 0;
  const [outcome] = await transitions.apply([happening(painted('west'))]);
  expect(outcome?.kind).toBe('committed');
  expect((await record(id)).steps.map(({ progress }) => progress.state)).toEqual([
    'Completed',
    'Completed',
    'Running',
  ]);
  expect(reads).toEqual(['eventual', 'consistent']);
});

test('an order that is unknown, and an event that changes nothing, are outcomes only after a consistent read', async () => {
  const { transitions, create, reads } = lagging(() => 0);
  await create('one');
  const outcomes = await transitions.apply([
    happening(claim, orderId('nobody')),
    happening(painted('east')),
  ]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['unknown-order', 'ignored']);
  expect(reads).toEqual(['eventual', 'consistent', 'consistent']);
});

test('whichever revisions the reads return, every order is processed with the same events and requests', async () => {
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat({ max: 4 })), fc.boolean(), async (lags, inPairs) => {
      const { transitions, create, record, requests } = lagging(() => lags.next().value ?? 0);
      await create('one');
      const batches = inPairs
        ? [[claim], [painted('west'), painted('east')], [painted('roof')]]
        : [[claim], [painted('west')], [painted('east')], [painted('roof')]];
      for (const batch of batches) {
        const outcomes = await transitions.apply(batch.map((event) => happening(event)));
        expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['committed']));
      }
      const ended = await record(id);
      expect(ended).toMatchObject({ processState: 'Processed', revision: 5 });
      expect(requests().map(({ step, attempt }) => `${step} ${attempt}`)).toEqual([
        'east 1',
        'west 1',
        'roof 1',
      ]);
    }),
    { numRuns: 100 },
  );
});
