/** How the code of functions is built: also that of programs which run at synthesis and must load the same workflows. */
import type { BuildOptions } from 'esbuild';

/** What all builds have in common. */
export const buildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  // Prefers ESM builds, because esbuild can remove unused code only from them.
  mainFields: ['module', 'main'],
  legalComments: 'none',
  logLevel: 'warning',
} satisfies BuildOptions;

/** esbuild has written what is wrong, and where: a stack trace of it would hide that. */
export function exitAfterReport(): never {
  process.exit(1);
}
