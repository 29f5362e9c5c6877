#!/usr/bin/env node
/** The command line as a process: the real world for `runCli`. */
import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCli } from '#cli/run-cli.ts';
import manifest from '../package.json' with { type: 'json' };

/** 128 + SIGPIPE: how a shell reports a program whose reader went away, as in `reeve list | head`. */
const brokenPipe = 141;

/** The exit code of what may succeed later, as `reeve --help` has it. */
const failed = 4;
/** A Reeve that runs goes on when its words are lost: the disk that they go to may be full. */
let isServing = false;

process.stdout.on('error', (error) => {
  if ('code' in error && error.code === 'EPIPE') process.exit(brokenPipe);
  if (isServing) return;
  process.stderr.write(`error: Standard output cannot be written: ${error.message}.\n`);
  process.exit(failed);
});
// Nobody is left to be told.
process.stderr.on('error', () => {});

// Set, not exited with: what is written to a pipe must get there first.
process.exitCode = await runCli(process.argv.slice(2), {
  env: process.env,
  stdout: (chunk) => process.stdout.write(chunk),
  stderr: (chunk) => process.stderr.write(chunk),
  stdin: () => buffer(process.stdin),
  readFile: (path) => readFile(path),
  fetch: (url, init) => fetch(url, init),
  terminal: () => {
    if (!process.stdout.isTTY || process.env['TERM'] === 'dumb') return null;
    return { columns: process.stdout.columns, rows: process.stdout.rows };
  },
  sleep: async (ms) => {
    await sleep(ms);
  },
  version: manifest.version,
  now: Date.now,
  // Loaded where a stack or an address on AWS is named: the SDK is larger than all the rest.
  aws: async () => {
    const { operatorTools } = await import('#aws/operator/operator-tools.ts');
    return operatorTools(fetch);
  },
  // Loaded for these commands alone, as for the next.
  data: async (command, dataDir) => {
    const { dataCommand, dataDirOf } = await import('#runtime/local/data-commands.ts');
    const { systemClock } = await import('#runtime/node/system-clock.ts');
    return dataCommand(dataDirOf(process.env, dataDir), command, systemClock);
  },
  // Loaded for this command alone: all others need neither the store nor the server.
  start: async (io) => {
    isServing = true;
    const { startCommand } = await import('#runtime/local/start-command.ts');
    const stopped = Promise.race([firstSignal(), orphaned()]);
    const code = await startCommand({ ...io, stopped });
    await Promise.race([Promise.all([process.stdout, process.stderr].map(written)), sleep(200)]);
    // Calls to services that never answer would hold the process.
    process.exit(code);
  },
});

/** The second signal finds no listener, and ends a process that is slow to stop. */
function firstSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
  });
}

/**
 * Under `npm start` a shell stands between npm and this process, and a shell that is told to stop does
 * not pass it on: without this, Reeve would be left behind with its port.
 */
function orphaned(): Promise<void> {
  const parent = process.ppid;
  return new Promise((resolve) => {
    if (process.env['npm_lifecycle_event'] === undefined) return;
    const watch = setInterval(() => {
      if (process.ppid === parent) return;
      clearInterval(watch);
      resolve();
    }, 250);
    watch.unref();
  });
}

/** Resolves when all that was written before has left this process. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}
