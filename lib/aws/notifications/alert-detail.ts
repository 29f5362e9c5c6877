/** The detail of the event that tells operators of an order in Error, as rules and listeners read it. */
import * as z from 'zod';
import {
  correlationId,
  order,
  orderFault,
  tenant,
  tried,
  workflow,
} from '#core/codec/message-fields.ts';
import type { Alert } from '#ports/publisher.ts';
import { orderText, troubleText } from '#text/alert-text.ts';

export const alertDetailSchema = z
  .object({
    deployment: z.string().describe('Which Reeve speaks: the name of its stack.'),
    orderId: order,
    workflow,
    workflowVersion: z.int().describe('The version of the workflow that the order began with.'),
    sequence: z
      .int()
      .positive()
      .describe('As in the status messages of the order: an alert that comes twice has the same.'),
    fault: orderFault,
    tried,
    tenant,
    correlationId,
    remedy: z.string().describe('The command for when the cause is mended.'),
    at: z.iso.datetime().describe('When the order stopped.'),
    text: z.string().describe('All of it in one sentence, for a person.'),
  })
  .meta({ title: 'Alert', description: 'An order needs a person.' });

export function alertDetail(
  { change, remedy }: Alert,
  deployment: string,
): z.input<typeof alertDetailSchema> {
  const { orderId, workflow, workflowVersion, sequence, fault, tried, tenant, at } = change;
  return {
    deployment,
    orderId,
    workflow,
    workflowVersion,
    sequence,
    fault,
    tried,
    tenant,
    correlationId: change.correlationId,
    remedy,
    at: new Date(at).toISOString(),
    text: singleLine(`${orderText(change)} needs a person: ${troubleText(change)}.`),
  };
}

/** A rule puts it between double quotes, and is not trusted to escape what would end them. */
function singleLine(text: string): string {
  return text
    .replaceAll(/\p{Cc}/gu, ' ')
    .replaceAll('"', '”')
    .replaceAll('\\', '/');
}
