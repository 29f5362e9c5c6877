/** What the factories of handlers take that need the workflows of a deployment. */
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';

/** The option of a handler that reads orders. */
export interface WorkflowsOption {
  /** Every version of every workflow that still has live orders; the same list for each function of a deployment. */
  readonly workflows: readonly WorkflowDefinition[];
}
