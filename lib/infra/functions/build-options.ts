/** How the code of functions is built: also that of programs which run at synthesis and must load the same workflows. */
import { resolve } from 'node:path';
import type { BuildOptions } from 'esbuild';

/** @param workflows the module that exports `workflows` */
export const buildOptions = (workflows: string) =>
  ({
    alias: { '#workflows/shipped.ts': resolve(workflows) },
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // Prefers ESM builds, because esbuild can remove unused code only from them.
    mainFields: ['module', 'main'],
    legalComments: 'none',
    logLevel: 'warning',
  }) satisfies BuildOptions;
