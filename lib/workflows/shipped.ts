/** The workflows of a deployment: every version that still has live orders. */
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { orderFulfilment } from './order-fulfilment.ts';

/** Only the shipped workflow. */
export const workflows: readonly WorkflowDefinition[] = [orderFulfilment];
