/** What the API says about the policies of steps and the deadline of an order. */
import { expect, test } from 'vitest';
import { workflowRegistry } from '#core/definition/registry.ts';
import type { Order } from '#core/model/record.ts';
import { orderSchema } from '#http/schemas.ts';
import { workflowsSchema } from '#http/service-schemas.ts';
import { orderView, workflowsView } from '#http/view.ts';
import { claim, epoch, expire, flow, order, play, submit } from '../core/support.ts';

const undoPolicy = { retries: 0, coolDown: { after: 100, times: 1 } };
const definition = flow(
  { a: { undoPolicy, holdMax: 60_000 }, b: {}, c: { irreversible: true } },
  { completeWithinMs: 3_000, onLate: 'undo' },
);
const registry = workflowRegistry([definition]);
const stored: Order = { orderId: order, details: { n: 1 }, digest: 'd', submittedAt: epoch };
const late = play(submit(definition), [0, claim()], [3_000, expire]);
const call = { completeWithinMs: 1_000, maxDurationMs: 1_000 };
const usual = { coolDownMs: 10_000, coolDownTimes: 102, coolDownFactor: 2, coolDownMaxMs: 900_000 };

test('a workflow has its deadline, and the policy of each undo, also where that is the default', () => {
  const [workflow] = workflowsSchema.parse(workflowsView(registry)).workflows;
  expect(workflow?.deadline).toEqual({ completeWithinMs: 3_000, onLate: 'undo' });
  expect(workflow?.steps.map(({ policy }) => policy.undo)).toEqual([
    { ...call, retries: 0, coolDownMs: 100, coolDownTimes: 1 },
    { ...call, retries: 1, ...usual },
    null,
  ]);
});

test('a workflow without a deadline has none', () => {
  const { workflows } = workflowsView(workflowRegistry([flow({ a: {} })]));
  expect(workflows[0]?.deadline).toBeNull();
});

test('an order has its deadline, the policies it began with, and says in its history that it was late', () => {
  const document = orderSchema.parse(orderView(late.record, stored, registry));
  const lateAt = new Date(epoch + 3_000).toISOString();
  expect(document.deadline).toEqual({ lateAt, onLate: 'undo' });
  expect(document.steps['a']?.policy).toMatchObject({ holdMaxMs: 60_000, undo: { retries: 0 } });
  expect(document.steps['b']?.policy.undo).toEqual({ ...call, retries: 1, ...usual });
  expect(document.history.at(-1)).toMatchObject({ type: 'expired', late: true });
  const other = play(submit(flow({ a: {} })), [0, claim()]).record;
  expect(orderView(other, stored, registry).deadline).toBeNull();
});
