/** What the API says about the policies of steps and the deadline of an order. */
import { expect, test } from 'vitest';
import { submitted } from '#core/decide/submit.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import type { Submit } from '#core/model/event.ts';
import { lineName, writeId } from '#core/model/ids.ts';
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
const submitEvent: Submit = {
  type: 'submit',
  by: 'ada',
  orderId: order,
  priority: 'normal',
  tenant: null,
  replyTo: null,
  correlationId: null,
};
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

test('a workflow whose orders wait for later ones says for how long, and such an order since when', () => {
  const singleton = { else: 'debounce', quiet: 1_000, atMost: 5_000 } as const;
  const debounced = flow({ a: {} }, { singleton: { key: () => 'all', ...singleton } });
  const own = workflowRegistry([debounced]);
  expect(workflowsSchema.parse(workflowsView(own)).workflows).toMatchObject([
    { singleton: 'debounce', debounce: { quietMs: 1_000, atMostMs: 5_000 } },
  ]);
  expect(workflowsView(registry).workflows).toMatchObject([{ singleton: null, debounce: null }]);
  const turn = { line: lineName('a'.repeat(40)), since: epoch - 500 };
  const event = { ...submitEvent, notBefore: epoch + 1_000 };
  const { record } = submitted(event, debounced, epoch, writeId('w'), turn);
  const document = orderSchema.parse(orderView(record, stored, own));
  const since = new Date(epoch - 500).toISOString();
  const notBefore = new Date(epoch + 1_000).toISOString();
  expect(document.turn).toEqual({ behind: null, replaces: false, since });
  expect(document.notBefore).toBe(notBefore);
  expect(document.history).toMatchObject([{ type: 'submit', notBefore }]);
  const { record: prompt } = submitted(submitEvent, debounced, epoch, writeId('w'), {
    line: turn.line,
  });
  expect(orderView(prompt, stored, own)).toMatchObject({ turn: { since: null } });
  expect(orderView(prompt, stored, own).history[0]).not.toHaveProperty('notBefore');
});
