#!/usr/bin/env node
/** The command line as a process: supplies `runCli` with its environment. */
import { readFile } from 'node:fs/promises';
import * as nodeModule from 'node:module';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StartIo } from '#cli/environment.ts';
import type { ReeveError } from '#core/model/errors.ts';
import type { Serve } from '#runtime/command/start-command.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { nodeRefusal } from '#text/supported-node.ts';
import manifest from '../package.json' with { type: 'json' };

/** 128 + SIGPIPE: the exit code that shells report for a closed pipe, as in `reeve list | head`. */
const brokenPipe = 141;

/** The exit code for a command that cannot work as it was given. */
const usage = 2;
/** The exit code for failures that may pass, as `reeve --help` documents it. */
const failed = 4;
/** A running server continues when its output cannot be written: the disk may be full, or its reader may have ended. */
let isServing = false;
/** What the code of a user has opened, such as a pool of connections, must not keep a command running that has ended. */
let hasRunUserCode = false;

const unsupported = nodeRefusal(process.versions.node);
if (unsupported !== null) {
  process.stderr.write(`error: ${unsupported}\n`);
  process.exit(usage);
}

process.stdout.on('error', (error) => {
  if (isServing) return;
  if ('code' in error && error.code === 'EPIPE') process.exit(brokenPipe);
  process.stderr.write(`error: Standard output cannot be written: ${error.message}.\n`);
  process.exit(failed);
});
// No stream is left for reporting it.
process.stderr.on('error', () => {});

// Of what is loaded from here on, Node keeps the compiled code, so that the next command starts in half the time. It is kept with the
// package, where no other user can change it. Where it cannot be written, each command compiles. Imported as a whole, because Node 20 has no
// such function, and is refused above.
nodeModule.enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/reeve'));

// Loaded after the check of Node, and not before, so that a missing peer has its sentence too.
const { runCli } = await import('#cli/run-cli.ts').catch((error: unknown) => {
  const isPeer = error instanceof Error && error.message.startsWith("Cannot find package 'zod'");
  if (!isPeer) throw error;
  process.stderr.write('error: Reeve needs the package zod beside it: npm install zod\n');
  process.exit(usage);
});

// Set instead of calling `exit`, so that pending output reaches a pipe first.
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
  random: systemRandom.next,
  version: manifest.version,
  now: Date.now,
  // Loaded only for a stack or an address on AWS: the SDK is larger than everything else.
  aws: async () => {
    const { operatorTools } = await import('#aws/operator/operator-tools.ts');
    return operatorTools(fetch);
  },
  // Loaded only for these commands.
  data: async (command, dataDir) => {
    const { dataCommand, dataDirOf } = await import('#runtime/local/data-commands.ts');
    const { systemClock } = await import('#runtime/node/system-clock.ts');
    return dataCommand(dataDirOf(process.env, dataDir), command, systemClock);
  },
  // Loaded only for this command: the simulator is larger than the others.
  prove: async (module, options) => {
    const { proveCommand } = await import('#testing/prove/prove-command.ts');
    hasRunUserCode = true;
    const unproven = (code: number) => endedUnproven(module, code);
    process.once('exit', unproven);
    try {
      return await proveCommand(module, options);
    } finally {
      process.off('exit', unproven);
    }
  },
  // Loaded only for these commands: the others need neither store nor server.
  start: async (io) => {
    const { shippedOrders } = await import('#runtime/command/shipped-orders.ts');
    const { shopDataDir } = await import('#runtime/local/data-directory.ts');
    return run({ ...io, env: { REEVE_DATA: shopDataDir, ...io.env } }, shippedOrders);
  },
  dev: async (io, module, reloads) => {
    const { moduleRefused, reloading } = await import('#runtime/command/reloading.ts');
    if (reloads) {
      const command = [import.meta.filename, 'dev', module, '--no-reload'];
      const stopped = Promise.race([nextSignal(), orphaned()]);
      return reloading({
        module,
        command: ['--disable-warning=ExperimentalWarning', ...command],
        stopped,
        killed: stopped.then(nextSignal),
        say: io.stderr,
      });
    }
    const { ownOrders } = await import('#runtime/command/own-orders.ts');
    return run(io, ownOrders(module, io.stderr), ({ name, code }) => {
      const isOfModule = code === 'module-unusable' || code === 'definition-missing';
      if (isOfModule || name === 'DefinitionError') process.send?.(moduleRefused);
    });
  },
});

// A server that comes here has failed at its start: the channel to `reeve dev` would keep it running.
if (hasRunUserCode || isServing) {
  await Promise.all([process.stdout, process.stderr].map(written));
  process.exit();
}

/** The code of a module may call `process.exit(0)`, which must not read as a proof; or await what never comes, for which Node has its own exit code. */
function endedUnproven(module: string, code: number): void {
  process.stderr.write(
    `error: Nothing was proven: the code of ${module} has ended this process, or waits for what never comes.\n`,
  );
  if (code === 0) process.exitCode = usage;
}

/** Serves until a signal comes, then ends this process. */
async function run(
  io: StartIo,
  serve: Serve,
  onRefused: (error: ReeveError) => void = () => {},
): Promise<never> {
  isServing = true;
  const { startCommand } = await import('#runtime/command/start-command.ts');
  const stopped = Promise.race([nextSignal(), orphaned()]);
  const code = await startCommand({ ...io, stopped }, serve, onRefused);
  await Promise.race([Promise.all([process.stdout, process.stderr].map(written)), sleep(200)]);
  // Pending calls to services would keep the process running.
  process.exit(code);
}

/** Only the next signal is handled: a further one ends a process that stops slowly. */
function nextSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGINT', () => resolve());
    process.once('SIGTERM', () => resolve());
    // Its parent, `reeve dev`, has ended.
    if (process.channel !== undefined) process.once('disconnect', () => resolve());
  });
}

/**
 * Under `npm start` a shell runs between npm and this process, and does not forward signals. Without this, Reeve
 * would keep running with its port.
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

/** Resolves when earlier output has left this process. */
function written(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => {
    stream.write('', () => resolve());
  });
}
