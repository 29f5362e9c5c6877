/** The detail of the event that notifies a submitter by the bus. */
import * as z from 'zod';
import { statusCodec } from '#core/codec/messages/change-codec.ts';
import type { Change } from '#core/model/change.ts';

export const statusDetailSchema = z
  .object({
    deployment: z.string().describe('The stack name of the deployment that sent the event.'),
    channel: z.string().describe('The response channel: the replyTo of the submitted order.'),
    status: statusCodec.schema.describe('The status message, the same on every channel.'),
  })
  .meta({
    title: 'StatusEvent',
    description: "Reports a change of an order's state on the bus.",
  });

export function statusDetail(channel: string, change: Change, deployment: string): object {
  const status: unknown = JSON.parse(statusCodec.encode(change));
  return { deployment, channel, status };
}
