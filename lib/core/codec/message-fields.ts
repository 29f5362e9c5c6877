/**
 * The fields that messages have in common, each with what it means to whoever writes the other end: the
 * published schemas are made from them (docs/contracts).
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

/** Stated beside the check, because a schema cannot look into a function. */
const keyForm = { type: 'string', maxLength: keyLengthMax, pattern: '/' };

export const key = z
  .custom<IdempotencyKey>(
    (value) => typeof value === 'string' && value.length <= keyLengthMax && value.includes('/'),
    'is no idempotency key',
  )
  .meta(keyForm);

/** An identifier, by the function that checks its form; that one throws, and a schema must not. */
const id = <Id extends string>(checked: { (text: string): Id; readonly pattern: string }) =>
  z
    .string()
    .meta({ pattern: checked.pattern })
    .transform((text, context) => {
      try {
        return checked(text);
      } catch {
        context.addIssue('has an impossible form');
        return z.NEVER;
      }
    });

export const order = id(orderId).describe('The order, as the submission was answered.');
export const step = id(stepName).describe('The step of the workflow.');
export const workflow = id(workflowName).describe('The name of the workflow.');
export const agent = id(agentName).describe('The agent that is asked.');
export const attempt = z
  .int()
  .positive()
  .describe(
    'The fencing number of the step: one more at every dispatch, of perform and undo alike. A reply counts only if it names the latest.',
  );
export const action = z
  .enum(['perform', 'undo'])
  .describe('Whether the step is to be performed or undone.');
export const priority = z.enum(priorities).describe('The priority class of the order.');
export const tenant = z
  .string()
  .max(limits.tenantLengthMax)
  .nullable()
  .describe('The tenant of the order, as its submitter gave it; null when it gave none.');
export const replyTo = z
  .string()
  .nullable()
  .describe(
    'The name of the registered response channel for status messages of the order; null for none.',
  );
/** Older writers sent none. */
export const correlationId = z
  .string()
  .min(1)
  .max(limits.correlationIdLengthMax)
  .nullable()
  .default(null)
  .describe("The submitter's own name for the order; null when it gave none.");
export const effect = z
  .enum(effects)
  .describe(
    'none: no try of the step has had an effect or ever will, because the service has refused its idempotency key for good; or because this is the first attempt and the service was not asked. possible: anything else.',
  );
export const duration = z.int().positive();
export const moment = (description: string) =>
  instant.describe(`${description} In milliseconds since 1970-01-01T00:00:00Z.`);

/** Of an order: why it stopped or turned back. */
export const orderFault = z
  .object({
    code: z.string().describe('For a program.'),
    message: z.string().describe('For a person.'),
    effect,
    step: step.nullable().describe('The step it befell; null when it befell the order itself.'),
    action: action.nullable().describe('What was being done; null when it befell no call.'),
  })
  .nullable()
  .describe('What stopped the order or turned it back; null when nothing did.');

/** Of an order that a call stopped; older writers sent none. */
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
      .describe('How often a round of attempts was followed by a cool-down and another round.'),
    since: moment('When the first of them was known to have failed.'),
  })
  .nullable()
  .default(null)
  .describe('Of an order in Error, what was tried; null when no call stopped it.');
