/** Deadline checks, which wake the Supervisor. */
import * as z from 'zod';
import { instant } from '#core/model/instant.ts';
import type { DeadlineCheck } from '#core/model/message.ts';
import { messageCodec } from './message-codec.ts';
import { order } from './message-fields.ts';

const deadlineCheckSchema: z.ZodType<DeadlineCheck> = z
  .object({
    orderId: order,
    at: instant,
    claimedAt: instant.nullable(),
    until: instant.optional(),
  })
  .transform(({ until, ...check }) => (until === undefined ? check : { ...check, until }));

/** The queue of deadline checks, from the Scheduler to the Supervisor. */
export const deadlineCheckCodec = messageCodec('deadline-check', deadlineCheckSchema);
