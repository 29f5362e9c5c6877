/**
 * Builds the text of a module and runs it: `node run-module.ts '{"source":"…"}'`. It is built as the functions are, because it
 * imports modules of the application, which may import what only a bundler finds. The module reports; where it throws, the
 * report is why.
 */
import { build } from 'esbuild';
import * as z from 'zod';
import { buildOptions, exitAfterReport } from './build-options.ts';
import { report } from './report.ts';

const argument = z.object({ source: z.string() });
const { source } = argument.parse(JSON.parse(process.argv[2] ?? ''));

const { outputFiles } = await build({
  ...buildOptions,
  stdin: { contents: source, resolveDir: process.cwd() },
  write: false,
}).catch(exitAfterReport);
const [file] = outputFiles;
try {
  await import(`data:text/javascript;base64,${Buffer.from(file?.text ?? '').toString('base64')}`);
} catch (error) {
  // Without the stack, whose lines are the whole text.
  report({ failed: error instanceof Error ? error.message : String(error) });
}
// A module of the application may have begun what keeps a process alive, such as a connection.
process.exit();
