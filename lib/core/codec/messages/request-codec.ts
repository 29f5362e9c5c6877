/** Requests to agents. */
import * as z from 'zod';
import type { Request } from '#core/model/message.ts';
import { jsonSchema } from '../json-schema.ts';
import { messageCodec } from './message-codec.ts';
import {
  action,
  agent,
  attempt,
  duration,
  key,
  moment,
  order,
  priority,
  slots,
  step,
  tenant,
  workflow,
} from './message-fields.ts';

const requestSchema: z.ZodType<Request> = z
  .object({
    orderId: order,
    workflow,
    step,
    agent,
    attempt,
    action,
    idempotencyKey: key.describe(
      'The same for every try of the step. Pass it to the service, which must do the work once and answer every try in the same way.',
    ),
    performKey: key.describe(
      'The idempotency key of the perform. In a request to undo, it names the effect to undo, and the service must refuse it from then on. In a request to perform, it is the same as idempotencyKey.',
    ),
    completeBy: moment('The deadline, after which the agent must not reply.'),
    completeWithinMs: duration.describe(
      'The time from dispatch to the deadline, ms. A heartbeat moves the deadline to this long after it, and counts only when half of this time has passed since the last one.',
    ),
    endBy: moment('The end of the attempt: no heartbeat moves the deadline past it.'),
    input: jsonSchema.describe('The input of the step, as the agent defines it.'),
    output: jsonSchema.describe(
      'For an undo, the output of the perform; null when it is not known whether the perform happened. For a perform, null.',
    ),
    priority,
    tenant,
    startAt: moment(
      'The call must not begin before. Missing: it may begin at once.',
    ).exactOptional(),
    startBy: moment(
      'The call must not begin after: give the attempt back, with the gate limit. Missing: it may begin at any time.',
    ).exactOptional(),
    slots: slots
      .describe('What the call has of the limits of the agent. Copy it to each reply.')
      .exactOptional(),
  })
  .meta({ title: 'Request', description: 'Asks an agent for one try of a step.' });

/** Request queues of agents. */
export const requestCodec = messageCodec('request', requestSchema);
