/**
 * Prints the limits of the workflows of a module: `node read-limits.ts '{"workflows":"workflows.ts"}'`. The module is built
 * as those of the functions are, because it may import what only a bundler finds.
 */
import { extname } from 'node:path';
import { build } from 'esbuild';
import * as z from 'zod';
import { buildOptions, exitAfterReport } from './build-options.ts';

const argument = z.object({ workflows: z.string() });
const { workflows } = argument.parse(JSON.parse(process.argv[2] ?? ''));
const printer = `./print-limits${extname(import.meta.filename)}`;

const { outputFiles } = await build({
  ...buildOptions,
  stdin: {
    contents: `
      import { workflows } from ${JSON.stringify(workflows)};
      import { printLimits } from ${JSON.stringify(printer)};
      printLimits(workflows);`,
    resolveDir: import.meta.dirname,
  },
  write: false,
}).catch(exitAfterReport);
const [file] = outputFiles;
await import(`data:text/javascript;base64,${Buffer.from(file?.text ?? '').toString('base64')}`);
