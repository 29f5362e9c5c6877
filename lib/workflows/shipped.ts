/** The workflows that a deployment knows: every version that still has orders on their way. */
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { orderFulfilment } from './order-fulfilment.ts';

export const workflows: readonly WorkflowDefinition[] = [orderFulfilment];
