/** The detail of the event that tells a submitter by the bus, as rules and listeners read it. */
import * as z from 'zod';
import { statusCodec } from '#core/codec/message-codec.ts';
import type { Change } from '#core/model/change.ts';

export const statusDetailSchema = z
  .object({
    deployment: z.string().describe('Which Reeve speaks: the name of its stack.'),
    channel: z
      .string()
      .describe('The response channel: what the order was submitted with as replyTo.'),
    status: statusCodec.schema.describe('The status message, as every other channel has it.'),
  })
  .meta({
    title: 'StatusEvent',
    description: "Tells by the bus that an order's state has changed.",
  });

export function statusDetail(channel: string, change: Change, deployment: string): object {
  const status: unknown = JSON.parse(statusCodec.encode(change));
  return { deployment, channel, status };
}
