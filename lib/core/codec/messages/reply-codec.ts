/** Replies of agents. */
import * as z from 'zod';
import { agentGates } from '#core/model/hold.ts';
import { limits } from '#core/model/limits.ts';
import type { Reply } from '#core/model/message.ts';
import { jsonSchema } from '../json-schema.ts';
import { messageCodec } from './message-codec.ts';
import { action, attempt, effect, order, slots, step } from './message-fields.ts';

const replySchema: z.ZodType<Reply> = z
  .object({
    orderId: order,
    step,
    attempt,
    action,
    result: z.discriminatedUnion('kind', [
      z
        .object({
          kind: z.literal('succeeded'),
          output: jsonSchema.describe(
            `The output for later steps, as the agent defines it, of at most ${limits.outputBytesMax} bytes; for an undo, null.`,
          ),
        })
        .describe('The call succeeded.'),
      z
        .object({
          kind: z.literal('failed'),
          fault: z.object({
            code: z.string().min(1).max(limits.faultCodeLengthMax).describe('For programs.'),
            message: z.string().max(limits.faultMessageLengthMax).describe('For operators.'),
            effect,
          }),
        })
        .describe('The call failed permanently. The agent itself retries after transient faults.'),
      z
        .object({ kind: z.literal('heartbeat') })
        .describe('The agent is still working: moves the deadline, at most to endBy. Optional.'),
      z
        .object({
          kind: z.literal('deferred'),
          gate: z
            .enum(agentGates)
            .describe(
              'concurrency: the agent has too many calls in flight. circuit: its service is unavailable. limit: its slot has passed.',
            ),
          retryAfterMs: z
            .int()
            .nonnegative()
            .max(limits.holdLookMaxMs)
            .describe('How long the step waits at least before its next attempt, ms.'),
        })
        .describe(
          'The agent gives the attempt back, because it cannot make the call now. Counts no failure. Optional.',
        ),
    ]),
    waitedMs: z
      .int()
      .nonnegative()
      .exactOptional()
      .describe(
        'How long the request waited in its queue, ms, where that was a tenth of its time or more: Reeve then sends the agent fewer requests at once. Optional.',
      ),
    slots: slots
      .describe(
        'Those of the request. Without them, the room that the call had is free only after the deadline.',
      )
      .exactOptional(),
  })
  .meta({
    title: 'Reply',
    description: 'A reply of an agent: order, step, attempt and action are those of the request.',
  });

/** Reply queues of agents. */
export const replyCodec = messageCodec('reply', replySchema);
