/**
 * Refuses to run a module on orders that it would stop. In production an order without its definition stops in Error, where an
 * operator sees it; to a developer who renames a workflow, that would be a loss.
 */
import { workflowRegistry } from '#core/definition/registry.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { ReeveError } from '#core/model/errors.ts';
import { type LiveDefinition, liveDefinitions } from '#embedded/live-definitions.ts';
import type { Config } from '#runtime/local/config.ts';
import { databaseIn } from '#runtime/local/data-directory.ts';

/**
 * @param module the path of the module, for the message
 * @throws {ReeveError} `definition-missing`
 */
export function checkLiveOrders(
  { REEVE_DATA: dataDir }: Config,
  workflows: readonly WorkflowDefinition[],
  module: string,
): void {
  const registry = workflowRegistry(workflows);
  const missing = liveDefinitions(databaseIn(dataDir)).filter(
    ({ workflow, workflowVersion, fingerprint }) =>
      registry.version(workflow, workflowVersion)?.fingerprint !== fingerprint,
  );
  if (missing.length === 0) return;
  const stopped = missing
    .map(
      (live) =>
        `${ordersOf(live)}, ${reasonOf(registry.version(live.workflow, live.workflowVersion))}`,
    )
    .join('; ');
  throw new ReeveError(
    'definition-missing',
    `${module} was not started, because orders in ${dataDir} would stop in Error: ${stopped}. Export these definitions as they were, and a changed workflow beside them with the next version; or set REEVE_DATA to another directory, or delete ${dataDir} if its orders are of no use.`,
  );
}

const ordersOf = ({ workflow, workflowVersion, orders, first }: LiveDefinition) =>
  `${orders === 1 ? `order ${first}` : `${orders} orders, such as ${first},`} of ${workflow}@${workflowVersion}`;

const reasonOf = (now: WorkflowDefinition | undefined) =>
  now === undefined
    ? 'which the module does not export'
    : 'which was changed under the same version';
