/** The bulk submission: how many orders are submitted at the same time, and which wait for which. */
import { expect, test } from 'vitest';
import { orderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { submissionBatch } from '#roles/submission/submission-batch.ts';
import type { SubmissionOutcome, SubmissionRequest } from '#roles/submission.ts';
import { roleScenario } from './scenario.ts';

const request = (name: string, more: Partial<SubmissionRequest> = {}): SubmissionRequest => ({
  ...{ workflow: 'house', details: {}, priority: 'normal', tenant: null, replyTo: null },
  ...{ correlationId: name, key: null },
  ...more,
});

/** A submission whose answers wait for the test. */
function waiting(options: { readonly atOnce?: number; readonly singletons?: boolean } = {}) {
  const { clock, registry } = roleScenario();
  const begun: (string | null)[] = [];
  const answers: (() => void)[] = [];
  const house = registry.latest('house');
  const batch = submissionBatch({
    clock,
    ...(options.atOnce !== undefined && { atOnce: options.atOnce }),
    registry: {
      latest: (name) =>
        house && options.singletons === true && name === 'house'
          ? { ...house, singleton: { key: () => 'k', else: 'wait' } }
          : house,
    },
    submission: {
      submit({ correlationId }) {
        begun.push(correlationId);
        return new Promise<SubmissionOutcome>((resolve) => {
          const id = orderId(`order-${correlationId}`);
          answers.push(() => resolve({ kind: 'accepted', orderId: id, processState: 'Pending' }));
        });
      },
    },
  });
  return {
    batch,
    clock,
    begun,
    /** Answers the next order, and lets those begin that waited for it. */
    async answer() {
      answers.shift()?.();
      for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    },
  };
}

const named = (names: readonly string[]) => names.map((name) => request(name));

test('all orders are begun at once, so that one group commit writes them', async () => {
  const { batch, begun, answer } = waiting();
  const names = Array.from({ length: limits.batchOrdersMax }, (_, at) => String(at));
  const submitted = batch.submit(named(names), 'ada');
  expect(begun).toEqual(names);
  for (const _ of names) await answer();
  expect((await submitted).map((outcome) => 'orderId' in outcome && outcome.orderId)).toEqual(
    names.map((name) => `order-${name}`),
  );
});

test('at most so many orders are submitted at the same time', async () => {
  const { batch, begun, answer } = waiting({ atOnce: 2 });
  const submitted = batch.submit(named(['a', 'b', 'c', 'd']), 'ada');
  expect(begun).toEqual(['a', 'b']);
  await answer();
  expect(begun).toEqual(['a', 'b', 'c']);
  for (let left = 3; left > 0; left -= 1) await answer();
  expect(await submitted).toHaveLength(4);
});

test('orders with the same idempotency key follow each other, unless their tenants differ', async () => {
  const { batch, begun, answer } = waiting();
  const submitted = batch.submit(
    [
      request('a', { key: 'k' }),
      request('b', { key: 'k' }),
      request('c', { key: 'k', tenant: 'inn' }),
      request('d', { key: 'other' }),
    ],
    'ada',
  );
  expect(begun).toEqual(['a', 'c', 'd']);
  await answer();
  expect(begun).toEqual(['a', 'c', 'd', 'b']);
  for (let left = 3; left > 0; left -= 1) await answer();
  await submitted;
});

test('orders of a workflow with a singleton key follow each other in the sequence of the request', async () => {
  const { batch, begun, answer } = waiting({ singletons: true, atOnce: 3 });
  const orders = [
    request('a'),
    request('b', { key: 'k' }),
    request('c', { workflow: 'other', key: 'k' }),
    request('d', { workflow: 'other' }),
  ];
  const submitted = batch.submit(orders, 'ada');
  expect(begun).toEqual(['a']);
  await answer();
  expect(begun).toEqual(['a', 'd', 'b']);
  for (let left = 3; left > 0; left -= 1) await answer();
  expect(begun).toEqual(['a', 'd', 'b', 'c']);
  await submitted;
});

test('what is not begun in time is not submitted', async () => {
  const { batch, begun, clock, answer } = waiting({ atOnce: 1 });
  const submitted = batch.submit(named(['a', 'b', 'c']), 'ada');
  await clock.advance(limits.batchBeginMs);
  await answer();
  expect(begun).toEqual(['a', 'b']);
  await clock.advance(1);
  await answer();
  expect((await submitted).map(({ kind }) => kind)).toEqual(['accepted', 'accepted', 'not-begun']);
  expect(begun).toEqual(['a', 'b']);
});

test('an error concerns its order alone', async () => {
  const { clock, registry } = roleScenario();
  const error = new Error('lost');
  const batch = submissionBatch({
    clock,
    registry,
    submission: {
      async submit({ correlationId }) {
        if (correlationId === 'b') throw error;
        return { kind: 'refused', code: 'details-invalid', errors: [] };
      },
    },
  });
  const outcomes = await batch.submit(named(['a', 'b', 'c']), 'ada');
  expect(outcomes[1]).toEqual({ kind: 'failed', error });
  expect(outcomes.map(({ kind }) => kind)).toEqual(['refused', 'failed', 'refused']);
});
