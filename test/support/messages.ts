/** Random messages of every kind. */
import fc from 'fast-check';
import { type Change, changeOf } from '#core/model/change.ts';
import { agentName, idempotencyKey, orderId, stepName, workflowName } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import { type ProcessRecord, priorities } from '#core/model/record.ts';
import { happened, happenings } from './happenings.ts';
import { newOrder } from './orders.ts';

const id = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,30}$/).map(orderId);
const step = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/).map(stepName);
const priority = fc.constantFrom(...priorities);
const tenant = fc.option(fc.string({ maxLength: 64 }));
const attempt = fc.integer({ min: 1, max: 1_000 });
const action = fc.constantFrom('perform' as const, 'undo' as const);
/** As JSON represents it: without -0. */
const json = fc
  .jsonValue({ maxDepth: 4 })
  .map((value): JsonValue => JSON.parse(JSON.stringify(value)));

const instant = fc.integer({ min: 0, max: Date.UTC(2100, 0) });
const slots = fc.array(
  fc.record(
    {
      name: fc.string({ maxLength: 256 }),
      everyMs: fc.double({ min: 0.1, max: 1e9, noNaN: true }),
      burst: fc.integer({ min: 1, max: 10_000 }),
      holder: fc.string({ minLength: 1, maxLength: 32 }),
      isScarce: fc.constant(true as const),
    },
    { requiredKeys: ['name'] },
  ),
  { minLength: 1, maxLength: 32 },
);

export const nudge = fc.record(
  { orderId: id, priority, tenant: fc.string({ maxLength: 64 }) },
  { requiredKeys: ['orderId', 'priority'] },
);
export const reply = fc.record(
  {
    orderId: id,
    step,
    attempt,
    action,
    result: fc.oneof(
      fc.record({ kind: fc.constant('succeeded' as const), output: json }),
      fc.record({ kind: fc.constant('heartbeat' as const) }),
      fc.record({
        kind: fc.constant('failed' as const),
        fault: fc.record({
          code: fc.string({ minLength: 1, maxLength: 60 }),
          message: fc.string({ maxLength: 300 }),
          effect: fc.constantFrom('none' as const, 'possible' as const),
        }),
      }),
    ),
    slots,
  },
  { requiredKeys: ['orderId', 'step', 'attempt', 'action', 'result'] },
);
export const request = fc
  .record(
    {
      ...{ orderId: id, step, attempt, action, input: json, output: json, priority, tenant },
      ...{ startAt: instant, startBy: instant, slots },
    },
    {
      requiredKeys: [
        ...(['orderId', 'step', 'attempt', 'action'] as const),
        ...(['input', 'output', 'priority', 'tenant'] as const),
      ],
    },
  )
  .map((some) => ({
    ...some,
    workflow: workflowName('house'),
    agent: agentName('paint'),
    idempotencyKey: idempotencyKey(some.orderId, some.step, some.action, 1),
    performKey: idempotencyKey(some.orderId, some.step, 'perform', 1),
    completeBy: 1_767_225_600_000,
    completeWithinMs: 5_000,
    endBy: 1_767_225_600_000,
  }));
export const submission = fc.record({
  workflow: fc.string(),
  details: json,
  priority,
  tenant,
  replyTo: fc.option(fc.string()),
  correlationId: fc.option(fc.string({ minLength: 1, maxLength: 128 })),
  key: fc.stringMatching(/^[!-+\--~]{1,128}$/),
});

/** A change of an order that has lived for a while. */
export const status = fc.array(fc.constantFrom(...happenings), { maxLength: 25 }).chain((life) => {
  const now = Date.UTC(2026, 0, 1);
  let record: ProcessRecord = newOrder('one', now, 'shop').record;
  const changes: Change[] = [changeOf(null, record)].filter((change) => change !== null);
  for (const [at, happening] of life.entries()) {
    const next: ProcessRecord = happened(record, happening, now + at, `w${at}`) ?? record;
    const change = changeOf(record.processState, next);
    if (change !== null) changes.push(change);
    record = next;
  }
  return fc.constantFrom(...changes);
});
