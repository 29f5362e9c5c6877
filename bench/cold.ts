/**
 * Cold starts: the size of each function's bundle and how long its module takes to load, on one core.
 * `npm run bench:cold`, or with `-- --json`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from '#infra/functions/bundles.ts';
import { shippedSources } from '../test/support/shipped-sources.ts';
import { agents, bars, environment, roles } from './cold-environment.ts';

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
  const file = join(folderOf(name), 'index.mjs');
  const times = Array.from({ length: Number(flags.runs) }, () => loadMs(file)).sort(
    (a, b) => a - b,
  );
  const median = times[Math.floor(times.length / 2)] ?? Number.NaN;
  return { name, bytes: statSync(file).size, loadMs: Math.round(median * 10) / 10 };
}

const functions = names.map(measure);
const over = functions.filter(
  ({ name, bytes, loadMs: ms }) =>
    bytes > (agents.includes(name) ? bars.agentBytes : bars.otherBytes) || ms > bars.loadMs,
);

if (flags.json) {
  console.log(JSON.stringify({ functions, bars, over: over.map(({ name }) => name) }));
} else {
  console.log('function          bundle KB   load ms (median)');
  for (const { name, bytes, loadMs: ms } of functions) {
    const size = (bytes / 1_000).toFixed(0);
    console.log(`${name.padEnd(16)}${size.padStart(11)}${ms.toFixed(1).padStart(19)}`);
  }
}
if (over.length > 0) process.exitCode = 1;
