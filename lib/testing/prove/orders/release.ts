/**
 * The versions of the workflows that take orders in a world: Reeve gives a new order to the latest version alone, and orders of earlier
 * versions were submitted before an upgrade. So a world is submitted to one release of the application, and knows every version.
 */
import { type WorkflowRegistry, workflowRegistry } from '#core/definition/registry.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';

type Workflows = readonly [WorkflowDefinition, ...WorkflowDefinition[]];

/** `shop@2`. */
export const versionName = ({ name, version }: Named): string => `${name}@${version}`;

interface Named {
  readonly name: string;
  readonly version: number;
}

/** By name, each with its versions, the earliest first. */
function versionsOf(workflows: readonly WorkflowDefinition[]) {
  const names = Map.groupBy(workflows, ({ name }) => name);
  return [...names.values()].map((some) => some.toSorted((a, b) => a.version - b.version));
}

/** How many releases it takes until each version was the latest in one. */
export const releasesOf = (workflows: Workflows): number =>
  Math.max(...versionsOf(workflows).map(({ length }) => length));

/**
 * One version of each workflow, by the order in which the workflows were given.
 *
 * @param release from 0; those from {@link releasesOf} on are the first ones again
 */
export function releaseOf(workflows: Workflows, release: number): Workflows {
  const [first, ...rest] = versionsOf(workflows).flatMap((versions) =>
    versions.slice(release % versions.length).slice(0, 1),
  );
  return first === undefined ? workflows : [first, ...rest];
}

/** Every version, where submissions get those of a release. */
export function registryOf(
  workflows: readonly WorkflowDefinition[],
  release: readonly WorkflowDefinition[],
): WorkflowRegistry {
  const registry = workflowRegistry(workflows);
  return {
    ...registry,
    latest(name) {
      const own = release.find((one) => one.name === name);
      return own && registry.version(name, own.version);
    },
  };
}
