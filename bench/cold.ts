/**
 * Cold starts: the size of what each function loads at its start, and how long that takes, on one core.
 * `npm run bench:cold`, or with `-- --json`. `--bundles FOLDER` keeps the bundles, and `--beside FOLDER` measures those that another
 * commit has kept, in turns with those of this one. The time of the processor depends less on what else the machine does.
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
  options: {
    json: { type: 'boolean', default: false },
    runs: { type: 'string', default: '11' },
    bundles: { type: 'string' },
    beside: { type: 'string' },
  },
});

const names = [...roles, ...agents];
const folderOf = bundle(
  shippedSources(agents),
  flags.bundles ?? join(mkdtempSync(join(tmpdir(), 'reeve-cold-')), 'bundles'),
);

interface Load {
  /** ms by the clock. */
  readonly ms: number;
  /** ms of the processor. */
  readonly cpuMs: number;
}

/** Loads the file in a process of its own, on the first core. */
function load(file: string): Load {
  const script = `const before = performance.now(); const used = process.cpuUsage(); await import(${JSON.stringify(pathToFileURL(file).href)}); const { user, system } = process.cpuUsage(used); process.stdout.write([performance.now() - before, (user + system) / 1_000].join()); process.exit(0);`;
  const command = ['-c', '0', process.execPath, '--input-type=module', '--eval', script];
  const text = execFileSync('taskset', command, { env: environment, encoding: 'utf8' });
  const [ms = Number.NaN, cpuMs = Number.NaN] = text.split(',').map(Number);
  return { ms, cpuMs };
}

function median(values: readonly number[]): number {
  const middle = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
  return Math.round(middle * 10) / 10;
}

function measure(name: string) {
  const folder = folderOf(name);
  const folders = [folder, ...(flags.beside === undefined ? [] : [join(flags.beside, name)])];
  const loads: Load[][] = folders.map(() => []);
  for (let run = 0; run < Number(flags.runs); run += 1) {
    for (const [at, one] of folders.entries()) loads[at]?.push(load(join(one, 'index.mjs')));
  }
  const [own = [], other = []] = loads;
  const otherFolder = folders[1];
  return {
    name,
    bytes: loadedCode(folder).length,
    bytesOnDemand: allCode(folder).length - loadedCode(folder).length,
    loadMs: median(own.map(({ ms }) => ms)),
    cpuMs: median(own.map(({ cpuMs }) => cpuMs)),
    ...(otherFolder !== undefined && {
      beside: {
        bytes: loadedCode(otherFolder).length,
        loadMs: median(other.map(({ ms }) => ms)),
        cpuMs: median(other.map(({ cpuMs }) => cpuMs)),
      },
    }),
  };
}

const functions = names.map(measure);
const over = functions.filter(
  ({ name, bytes, loadMs: ms }) => bytes > bars.bytes(name) || ms > bars.loadMs,
);

if (flags.json) {
  console.log(JSON.stringify({ functions, over: over.map(({ name }) => name) }));
} else {
  const row = (cells: readonly (string | number)[]) =>
    console.log(
      cells.map((cell, at) => (at === 0 ? `${cell}`.padEnd(13) : `${cell}`.padStart(13))).join(''),
    );
  const kb = (bytes: number) => (bytes / 1_000).toFixed(0);
  row(['function', 'loaded KB', 'on demand KB', 'load ms', 'processor ms']);
  for (const { name, bytes, bytesOnDemand, loadMs, cpuMs, beside } of functions) {
    row([name, kb(bytes), kb(bytesOnDemand), loadMs, cpuMs]);
    if (beside !== undefined) row(['  beside', kb(beside.bytes), '', beside.loadMs, beside.cpuMs]);
  }
}
if (over.length > 0) process.exitCode = 1;
