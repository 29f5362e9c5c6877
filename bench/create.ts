/**
 * How long it takes from `npm create reeve` to the first Processed order of the new project, with an empty cache of npm:
 * `npm run bench:create`, for programs with `--json`. It fails beyond a minute.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';

const secondsMax = 60;
const { values } = parseArgs({ options: { json: { type: 'boolean', default: false } } });
const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'reeve-create-'));
const project = join(folder, 'shop');
const env = {
  ...process.env,
  PATH: [dirname(process.execPath), process.env['PATH']].join(delimiter),
  npm_config_cache: join(folder, 'cache'),
  PORT: String(20_000 + (process.pid % 20_000)),
};
const run = (cwd: string, command: string, ...words: readonly string[]) =>
  execFileSync(command, words, {
    cwd,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });

run(root, 'npm', 'run', '--silent', 'build');
const archive = run(folder, 'npm', 'pack', '--silent', join(root, 'dist', 'reeve')).trim();
const began = performance.now();
const seconds = () => Math.round((performance.now() - began) / 100) / 10;
const script = join(root, 'dist', 'create-reeve', 'create-reeve.js');
run(folder, process.execPath, script, 'shop', '--reeve', join(folder, archive));
run(project, 'npm', 'install', '--no-audit', '--no-fund', '--silent');
const installed = seconds();
const dev = spawn('npm', ['run', 'dev'], {
  ...{ cwd: project, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true },
});
for await (const line of createInterface({ input: dev.stdout })) {
  if (line.startsWith('Reeve listens on')) break;
}
const url = `http://127.0.0.1:${env.PORT}`;
const said = run(project, 'npx', 'reeve', '--url', url, 'submit', 'order.json', '--wait');
const processed = seconds();
// The group: npm, the command that watches, and Reeve.
if (dev.pid !== undefined) process.kill(-dev.pid);
await once(dev, 'exit');
rmSync(folder, { recursive: true });

const isPassed = said.includes('Processed') && processed <= secondsMax;
const figures = { isPassed, installedAfterSeconds: installed, processedAfterSeconds: processed };
if (values.json) console.log(JSON.stringify(figures));
else console.table(figures);
if (!isPassed) process.exitCode = 1;
