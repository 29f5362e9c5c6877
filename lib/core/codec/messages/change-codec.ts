/** Changes of orders, for submitters and operators. */
import * as z from 'zod';
import { audiences, type Change, type Notification } from '#core/model/change.ts';
import { directions, processStates } from '#core/model/record.ts';
import { messageCodec } from './message-codec.ts';
import {
  correlationId,
  moment,
  order,
  orderFault,
  priority,
  replyTo,
  tenant,
  tried,
  workflow,
} from './message-fields.ts';

/** A change as submitters receive it, without the details of the order. */
const changeObject = z
  .object({
    orderId: order,
    workflow,
    workflowVersion: z.int().describe('The version of the workflow at submission.'),
    sequence: z
      .int()
      .positive()
      .describe(
        'Increases with every change of an order: shows which messages are late or duplicated.',
      ),
    previousState: z.enum(processStates).nullable().describe('Null for a new order.'),
    processState: z
      .enum(processStates)
      .describe('Processed and Undone are final; an order in Error waits for an operator.'),
    direction: z
      .enum(directions)
      .describe('Whether the steps of the order are performed or undone.'),
    fault: orderFault,
    tried,
    priority,
    tenant,
    replyTo,
    correlationId,
    at: moment('When it happened.'),
  })
  .meta({
    title: 'Status',
    description: 'Notifies a submitter of a change of the process state of an order.',
  });

const statusSchema: z.ZodType<Change> = changeObject;
/** A change as it is stored: fields of a newer release are kept and delivered. */
export const changeSchema: z.ZodType<Change> = changeObject.loose();

/** Only the notifier writes and reads it, possibly with releases in between. */
const notificationSchema: z.ZodType<Notification> = z.object({
  audience: z.enum(audiences),
  change: changeSchema,
});

/** Response channels of submitters. */
export const statusCodec = messageCodec('status', statusSchema);

/** Notifications that wait for another delivery. */
export const notificationCodec = messageCodec('notification', notificationSchema);
