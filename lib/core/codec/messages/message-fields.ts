/**
 * Schemas of the fields that several messages have. Their descriptions are for authors of agents and
 * submitters: the published schemas are generated from them (docs/contracts).
 */
import * as z from 'zod';
import { effects } from '#core/model/fault.ts';
import {
  agentName,
  type IdempotencyKey,
  orderId,
  stepName,
  workflowName,
} from '#core/model/ids.ts';
import { instant } from '#core/model/instant.ts';
import { limits } from '#core/model/limits.ts';
import { priorities } from '#core/model/record.ts';

const keyLengthMax = 200;

/** The published form of the key, because a generator cannot read the check in a function. */
const keyForm = { type: 'string', maxLength: keyLengthMax, pattern: '/' };

/** An idempotency key. */
export const key = z
  .custom<IdempotencyKey>(
    (value) => typeof value === 'string' && value.length <= keyLengthMax && value.includes('/'),
    'is not an idempotency key',
  )
  .meta(keyForm);

/** A schema of an identifier: reports an issue where the function `checked` throws. */
const id = <Id extends string>(checked: { (text: string): Id; readonly pattern: string }) =>
  z
    .string()
    .meta({ pattern: checked.pattern })
    .transform((text, context) => {
      try {
        return checked(text);
      } catch {
        context.addIssue('has an invalid form');
        return z.NEVER;
      }
    });

/** An order id. */
export const order = id(orderId).describe(
  'The id of the order, from the response to the submission.',
);
/** A step name. */
export const step = id(stepName).describe('The name of the step.');
/** A workflow name. */
export const workflow = id(workflowName).describe('The name of the workflow.');
/** An agent name. */
export const agent = id(agentName).describe('The name of the agent.');
/** The attempt of a step, from 1. */
export const attempt = z
  .int()
  .positive()
  .describe(
    'The fencing number of the step: increases by one with every dispatch of perform or undo. A reply counts only with the latest number.',
  );
/** Perform or undo. */
export const action = z
  .enum(['perform', 'undo'])
  .describe('Whether the step is to be performed or undone.');
/** A priority class. */
export const priority = z.enum(priorities).describe('The priority class of the order.');
/** A tenant; null for orders without one. */
export const tenant = z
  .string()
  .max(limits.tenantLengthMax)
  .nullable()
  .describe('The tenant of the order, from its submission; null for none.');
/** The name of a response channel; null for none. */
export const replyTo = z
  .string()
  .nullable()
  .describe(
    'The name of the registered response channel for status messages of the order; null for none.',
  );
/** Missing in messages of older releases. */
export const correlationId = z
  .string()
  .min(1)
  .max(limits.correlationIdLengthMax)
  .nullable()
  .default(null)
  .describe("The submitter's own id of the order; null for none.");
/** Whether a fault excludes an effect. */
export const effect = z
  .enum(effects)
  .describe(
    'none: no try of the step has had an effect or will have one, because the service has refused its idempotency key permanently, or because this is the first attempt and the agent has not called the service. possible: all other cases.',
  );
/** A duration, ms. */
export const duration = z.int().positive();
/** An instant, ms since the epoch. */
export const moment = (description: string) =>
  instant.describe(`${description} In milliseconds since 1970-01-01T00:00:00Z.`);

/** The fault of an order. */
export const orderFault = z
  .object({
    code: z.string().describe('For programs.'),
    message: z.string().describe('For operators.'),
    effect,
    step: step.nullable().describe('The step that failed; null when the fault is not of a step.'),
    action: action
      .nullable()
      .describe('The action that failed; null when the fault is not of a call.'),
  })
  .nullable()
  .describe('The fault that stopped the order or started its undo; null for none.');

/** The attempts before a call stopped the order. Missing in messages of older releases. */
export const tried = z
  .object({
    agent: agent.describe('The agent of the step that stopped the order.'),
    attempts: z
      .int()
      .positive()
      .describe('Attempts that timed out or failed since the last resubmit.'),
    coolDowns: z
      .int()
      .nonnegative()
      .describe('Cool-downs that were followed by another round of attempts.'),
    since: moment('When the first failure of these attempts was recorded.'),
  })
  .nullable()
  .default(null)
  .describe('For an order in Error, the attempts before it stopped; null when no call stopped it.');

/** What a call has of limits, in its request and in its replies. */
export const slots = z
  .array(
    z.object({
      name: z.string().max(limits.slotNameLengthMax).describe('Names the limit and its key.'),
      everyMs: z
        .number()
        .positive()
        .describe('For a rate: the time between two calls, ms.')
        .exactOptional(),
      burst: z
        .int()
        .positive()
        .describe(
          'For a rate: how many calls may begin together after a time without calls. Missing: one.',
        )
        .exactOptional(),
      holder: z
        .string()
        .min(1)
        .max(limits.holderNameLengthMax)
        .describe('For room: names the one who has it.')
        .exactOptional(),
      isScarce: z.literal(true).describe('Other calls may wait for the room.').exactOptional(),
    }),
  )
  .min(1)
  // Room and a slot of a rate in each limit of a member and of its pool.
  .max(2 * 2 * limits.agentLimitsMax);
