/**
 * The limits of the agents of a deployment, on which the grants of its functions depend. The workflows are loaded by a
 * program of their own: what they import need not run in the process of the CDK.
 */
import { resolve } from 'node:path';
import * as z from 'zod';
import { runEsbuildProgram } from './esbuild-program.ts';

/** The names of the rates that an agent's calls count in, by agent; none: its limits are of calls at once only. */
export type DeployedLimits = ReadonlyMap<string, readonly string[]>;

const printed = z.record(z.string(), z.array(z.string()));
/** By module: an app may have several stacks with the same workflows. */
const known = new Map<string, DeployedLimits>();

/**
 * Those of the agents that have limits.
 *
 * @param workflows the module that exports `workflows`
 * @throws {ReeveError} `bundling-failed` when the module cannot be built or loaded, in which case no function could either
 */
export function deployedLimits(workflows: string): DeployedLimits {
  const file = resolve(workflows);
  const found = known.get(file) ?? read(file);
  known.set(file, found);
  return found;
}

function read(workflows: string): DeployedLimits {
  const output = runEsbuildProgram('read-limits', { workflows });
  return new Map(Object.entries(printed.parse(JSON.parse(output))));
}
