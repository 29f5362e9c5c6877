/** The detail of the event that alerts operators to an order in Error. */
import * as z from 'zod';
import {
  correlationId,
  order,
  orderFault,
  tenant,
  tried,
  workflow,
} from '#core/codec/messages/message-fields.ts';
import type { Alert } from '#ports/publisher.ts';
import { orderText, troubleText } from '#text/alert-text.ts';

export const alertDetailSchema = z
  .object({
    deployment: z.string().describe('The stack name of the deployment that sent the alert.'),
    orderId: order,
    workflow,
    workflowVersion: z.int().describe('The version of the workflow that the order began with.'),
    sequence: z
      .int()
      .positive()
      .describe(
        'As in the status messages of the order. A duplicate of an alert has the same number.',
      ),
    fault: orderFault,
    tried,
    tenant,
    correlationId,
    remedy: z.string().describe('The command to run once the cause is fixed.'),
    at: z.iso.datetime().describe('When the order stopped.'),
    text: z.string().describe('The alert in one sentence, for operators.'),
  })
  .meta({ title: 'Alert', description: 'An order needs an operator.' });

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
    text: singleLine(`${orderText(change)} needs an operator: ${troubleText(change)}.`),
  };
}

/** An EventBridge rule puts the text between double quotes and may not escape what would end them. */
function singleLine(text: string): string {
  return text
    .replaceAll(/\p{Cc}/gu, ' ')
    .replaceAll('"', '”')
    .replaceAll('\\', '/');
}
