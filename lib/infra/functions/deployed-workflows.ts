/**
 * What the stack has to know of the workflows of a deployment: their agents, and the limits of these, on which the grants of
 * functions depend. The workflows are loaded by a program of their own: what they import need not run in the process of the CDK.
 */
import { extname, join, resolve } from 'node:path';
import * as z from 'zod';
import { ReeveError } from '#core/model/errors.ts';
import { runEsbuildProgram } from './esbuild-program.ts';

const reported = z.object({
  calls: z.array(
    z.object({
      agent: z.string(),
      step: z.string(),
      workflow: z.string(),
      completeWithinMs: z.number(),
      longestMs: z.number(),
    }),
  ),
  limits: z
    .record(z.string(), z.array(z.string()))
    .transform((limits): ReadonlyMap<string, readonly string[]> => new Map(Object.entries(limits))),
});

const answered = z.union([reported, z.object({ failed: z.string() })]);

/** The workflows of a module: `calls` has each agent of each step, a member of a pool as well, with the shorter `completeWithin` of its call and of its undo, and the longer `maxDuration`. */
export interface DeployedWorkflows extends Readonly<z.infer<typeof reported>> {
  /** The names of the rates that an agent's calls count in, by agent; none: its limits are of calls at once only. */
  readonly limits: ReadonlyMap<string, readonly string[]>;
}

/** By module: an app may have several stacks with the same workflows. */
const known = new Map<string, DeployedWorkflows>();
const reporter = join(import.meta.dirname, `report-workflows${extname(import.meta.filename)}`);

/**
 * @param workflows the module that exports `workflows`
 * @throws {ReeveError} `bundling-failed` when the module cannot be built or loaded, in which case no function could either
 */
export function deployedWorkflows(workflows: string): DeployedWorkflows {
  const file = resolve(workflows);
  const found = known.get(file) ?? read(workflows);
  known.set(file, found);
  return found;
}

function read(workflows: string): DeployedWorkflows {
  const file = resolve(workflows);
  const source = `
    import { workflows } from ${JSON.stringify(file)};
    import { reportWorkflows } from ${JSON.stringify(reporter)};
    reportWorkflows(workflows);`;
  const answer = answered.parse(JSON.parse(runEsbuildProgram('run-module', { source })));
  if (!('failed' in answer)) return answer;
  throw new ReeveError(
    'bundling-failed',
    `The workflows of ${workflows} cannot be loaded: ${answer.failed}`,
  );
}
