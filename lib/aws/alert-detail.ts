/** The detail of the event that tells operators of an order in Error, as rules and listeners read it. */
import * as z from 'zod';
import { order, orderFault, workflow } from '#core/message-fields.ts';
import type { Alert } from '#ports/publisher.ts';

export const alertDetailSchema = z
  .object({
    deployment: z.string().describe('Which Reeve speaks: the name of its stack.'),
    orderId: order,
    workflow,
    sequence: z
      .int()
      .positive()
      .describe('As in the status messages of the order: an alert that comes twice has the same.'),
    fault: orderFault,
    remedy: z.string().describe('The command for when the cause is mended.'),
    at: z.iso.datetime().describe('When the order stopped.'),
  })
  .meta({ title: 'Alert', description: 'An order needs a person.' });

export function alertDetail(
  { change, remedy }: Alert,
  deployment: string,
): z.input<typeof alertDetailSchema> {
  const { orderId, workflow, fault, sequence, at } = change;
  const when = new Date(at).toISOString();
  return { deployment, orderId, workflow, sequence, fault, remedy, at: when };
}
