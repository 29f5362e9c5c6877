/** The program of a new project, `src/main.ts`, as a process: how it ends. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { plantMistake } from '#sim/mutants/plant-mistake.ts';
import { folder } from '../support/stored-data.ts';

/** The folder of a new project, with this repository as its package `reeve`. */
function project(): string {
  const made = folder();
  for (const part of ['common', 'embedded'])
    cpSync(join('create-reeve/template', part), made, { recursive: true });
  mkdirSync(join(made, 'node_modules'));
  symlinkSync(resolve('.'), join(made, 'node_modules/reeve'));
  symlinkSync(resolve('node_modules/zod'), join(made, 'node_modules/zod'));
  writeFileSync(join(made, 'package.json'), '{"type":"module"}');
  const main = join(made, 'src/main.ts');
  // The port of the template may be in use.
  const anyPort = { text: 'serveApi(reeve)', instead: 'serveApi(reeve, { port: 0 })' };
  writeFileSync(main, plantMistake(readFileSync(main, 'utf8'), anyPort));
  return made;
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s closes the server and Reeve, whose data are then in one file, and ends it with 0',
  async (signal) => {
    const cwd = project();
    const main = spawn(process.execPath, ['src/main.ts'], {
      ...{ cwd, stdio: ['ignore', 'pipe', 'inherit'] },
    });
    onTestFinished(() => void main.kill('SIGKILL'));
    const [line] = await once(createInterface({ input: main.stdout }), 'line');
    const url = /^Reeve listens on (\S+)$/.exec(String(line))?.[1] ?? '';
    const follower = await fetch(`${url}/events`);
    const submitted = await fetch(`${url}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
      body: JSON.stringify({ workflow: 'shop', details: { article: 'lamp', cents: 4_900 } }),
    });
    expect(submitted.status).toBe(202);
    const log = join(cwd, '.reeve/reeve.db-wal');
    expect(existsSync(log)).toBe(true);
    main.kill(signal);
    expect(await once(main, 'exit')).toEqual([0, null]);
    expect(existsSync(log)).toBe(false);
    await follower.body?.cancel().catch(() => {});
  },
);
