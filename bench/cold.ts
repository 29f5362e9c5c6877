/**
 * Cold starts: the size of what each function loads at its start, and how long that takes, on one core.
 * `npm run bench:cold`, or with `-- --json`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from '#infra/functions/bundles.ts';
import { shippedSources } from '../test/support/shipped-sources.ts';
import { agents, bars, environment, roles } from './cold-environment.ts';
import { allCode, loadedCode } from './cold-files.ts';

const { values: flags } = parseArgs({
  options: { json: { type: 'boolean', default: false }, runs: { type: 'string', default: '11' } },
});

const names = [...roles, ...agents];
const folderOf = bundle(
  shippedSources(agents),
  join(mkdtempSync(join(tmpdir(), 'reeve-cold-')), 'bundles'),
);

/** Loads the file in a process of its own, on the first core. */
function loadMs(file: string): number {
  const script = `const before = performance.now(); await import(${JSON.stringify(pathToFileURL(file).href)}); process.stdout.write(String(performance.now() - before)); process.exit(0);`;
  const command = ['-c', '0', process.execPath, '--input-type=module', '--eval', script];
  return Number(execFileSync('taskset', command, { env: environment, encoding: 'utf8' }));
}

function measure(name: string) {
  const folder = folderOf(name);
  const file = join(folder, 'index.mjs');
  const times = Array.from({ length: Number(flags.runs) }, () => loadMs(file)).sort(
    (a, b) => a - b,
  );
  const median = times[Math.floor(times.length / 2)] ?? Number.NaN;
  return {
    name,
    bytes: loadedCode(folder).length,
    bytesOnDemand: allCode(folder).length - loadedCode(folder).length,
    loadMs: Math.round(median * 10) / 10,
  };
}

const functions = names.map(measure);
const over = functions.filter(
  ({ name, bytes, loadMs: ms }) => bytes > bars.bytes(name) || ms > bars.loadMs,
);

if (flags.json) {
  console.log(JSON.stringify({ functions, over: over.map(({ name }) => name) }));
} else {
  console.log('function        loaded KB   on demand KB   load ms (median)');
  for (const { name, bytes, bytesOnDemand, loadMs: ms } of functions) {
    const [loaded = '', later = ''] = [bytes, bytesOnDemand].map((size) =>
      (size / 1_000).toFixed(0),
    );
    console.log(
      `${name.padEnd(14)}${loaded.padStart(11)}${later.padStart(15)}${ms.toFixed(1).padStart(19)}`,
    );
  }
}
if (over.length > 0) process.exitCode = 1;
