/**
 * The limits of the agents of a stack, on which the grants of its functions depend. The workflows are built as those of the
 * functions are, and loaded by a program of their own: what they import need not run in the process of the CDK.
 */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { buildSync } from 'esbuild';
import * as z from 'zod';
import { buildOptions } from './build-options.ts';

/** The names of the rates that an agent's calls count in, by agent; none: its limits are of calls at once only. */
export type DeployedLimits = ReadonlyMap<string, readonly string[]>;

const printed = z.record(z.string(), z.array(z.string()));
const programFor = (workflows: string) => `
  import { workflows } from ${JSON.stringify(resolve(workflows))};
  import { printLimits } from "./print-limits.ts";
  printLimits(workflows);`;
/** By module: an app may have several stacks with the same workflows. */
const known = new Map<string, DeployedLimits>();

/**
 * Those of the agents that have limits.
 *
 * @param workflows the module that exports `workflows`
 * @throws when the module cannot be built or loaded, in which case no function could either
 */
export function deployedLimits(workflows: string): DeployedLimits {
  const found = known.get(workflows) ?? read(workflows);
  known.set(workflows, found);
  return found;
}

function read(workflows: string): DeployedLimits {
  const [file] = buildSync({
    ...buildOptions(workflows),
    stdin: { contents: programFor(workflows), resolveDir: import.meta.dirname },
    write: false,
  }).outputFiles;
  const output = execFileSync(process.execPath, ['--input-type=module', '-'], {
    input: file?.text ?? '',
    encoding: 'utf8',
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  return new Map(Object.entries(printed.parse(JSON.parse(output))));
}
