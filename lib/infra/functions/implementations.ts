/**
 * Of which agents the exports are that modules of the application have. The modules are loaded by a program of their own, as the
 * functions will load them.
 */
import { extname, join, resolve } from 'node:path';
import * as z from 'zod';
import { ReeveError } from '#core/model/errors.ts';
import { runEsbuildProgram } from './esbuild-program.ts';

/** An export of a module. */
export interface Export {
  /** Relative to the folder in which the app runs. */
  readonly module: string;
  readonly export: string;
}

const reported = z.array(
  z.union([
    /** The name of its agent; null: it is no implementation of an agent. */
    z.object({ agent: z.string().nullable() }),
    /** Why its module cannot be loaded: it may need what only the function has. */
    z.object({ failed: z.string() }),
  ]),
);

/** What an export is. */
export type Implementation = Readonly<z.infer<typeof reported>[number]>;

/** A module may end the process that loads it. */
const ended: Implementation = { failed: 'the process that loaded it ended' };
/** By export: an app may have several stacks with the same agents. */
const known = new Map<string, Implementation>();
const keyOf = (one: Export) => `${resolve(one.module)}#${one.export}`;
const reporter = join(
  import.meta.dirname,
  `report-implementations${extname(import.meta.filename)}`,
);

/** What each export is, in the same order. One process loads all that are not known yet. @throws {ReeveError} `esbuild-missing` */
export function implementationsOf(exports: readonly Export[]): readonly Implementation[] {
  const missing = exports.filter((one) => !known.has(keyOf(one)));
  if (missing.length > 0) {
    const found = read(missing);
    for (const [at, one] of missing.entries()) known.set(keyOf(one), found[at] ?? ended);
  }
  return exports.map((one) => known.get(keyOf(one)) ?? ended);
}

function read(exports: readonly Export[]): readonly Implementation[] {
  const loads = exports.map(
    (one) =>
      `async () => (await import(${JSON.stringify(resolve(one.module))}))[${JSON.stringify(one.export)}],`,
  );
  const source = `
    import { reportImplementations } from ${JSON.stringify(reporter)};
    await reportImplementations([${loads.join('\n')}]);`;
  try {
    return reported.parse(JSON.parse(runEsbuildProgram('run-module', { source })));
  } catch (error) {
    if (error instanceof ReeveError && error.code === 'esbuild-missing') throw error;
    return [];
  }
}
