/** Runs `reeve dev` again after each change of the files beside its module. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Dirent, type FSWatcher, readdirSync, watch } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeError } from '#core/model/errors.ts';
import { pathProblem } from '#runtime/node/load-definitions.ts';

/** What {@link reloading} needs. */
export interface ReloadingOptions {
  /** The path of the module. */
  readonly module: string;
  /** The arguments of Node that run it once, with a channel to its parent. */
  readonly command: readonly string[];
  /** Resolves when the user wants it to stop. */
  readonly stopped: Promise<unknown>;
  /** Resolves when the user does not want to wait any longer for that. */
  readonly killed: Promise<unknown>;
  readonly say: (text: string) => void;
}

/** Sent by a process that ends because of its module, so that a change of a file may help. */
export const moduleRefused = 'module-refused';

/** The exit code of a process that another cause has ended, such as data that are in use. */
const refusedCode = 2;
/** Editors write a file in several steps, ms. */
const settleMs = 100;
/** Before a process that a signal ended is started again, ms. */
const againMs = 1_000;
/** For a process to stop by itself, ms: longer than Reeve takes to close. */
const stopWithinMs = 2_000;
const source = /\.(?:[cm]?[jt]s|json)$/;

/** Runs until `stopped`; returns the exit code. */
export async function reloading(options: ReloadingOptions): Promise<number> {
  const stopped = options.stopped.then(() => 'stopped' as const);
  // Later it may be missing for a moment: editors replace files.
  const problem = pathProblem(options.module);
  if (problem !== null) {
    options.say(`${problem}\n`);
    return refusedCode;
  }
  for (;;) {
    const changes = changesIn(dirname(options.module), options.say);
    try {
      const { child, ended } = started(options.command);
      const first = await Promise.race([stopped, changes.next, ended]);
      if (first === 'stopped' || first === 'changed') {
        await stop(child, ended, options.killed);
        if (first === 'stopped') return 0;
      } else if (first.signal !== null) {
        await Promise.race([stopped, sleep(againMs)]);
      } else if (first.code === refusedCode && !first.isOfModule) {
        return refusedCode;
      } else {
        options.say('Reeve waits for a change of a file.\n');
        if ((await Promise.race([stopped, changes.next])) === 'stopped') return 0;
      }
    } finally {
      changes.close();
    }
    await sleep(settleMs);
  }
}

interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly isOfModule: boolean;
}

/** The child ends when this process does: its channel is closed then, however it ends. */
function started(command: readonly string[]): {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
} {
  const child = spawn(process.execPath, command, {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  let isOfModule = false;
  child.on('message', (message) => {
    isOfModule ||= message === moduleRefused;
  });
  const ended = once(child, 'exit').then(
    ([code, signal]): Ended => ({
      code: typeof code === 'number' ? code : null,
      signal: typeof signal === 'string' ? signal : null,
      isOfModule,
    }),
  );
  return { child, ended };
}

/** Ends it, and by force when it is late: no signal reaches code that loops. */
async function stop(
  child: ChildProcess,
  ended: Promise<Ended>,
  killed: Promise<unknown>,
): Promise<void> {
  child.kill();
  const kept = new AbortController();
  const late = sleep(stopWithinMs, null, { signal: kept.signal }).catch(() => {});
  await Promise.race([ended, late, killed]);
  kept.abort();
  child.kill('SIGKILL');
  await ended;
}

/** Folders are watched and not files: many editors replace a file when they save it. */
function changesIn(
  root: string,
  say: (text: string) => void,
): { readonly next: Promise<'changed'>; close(): void } {
  const { promise: next, resolve } = Promise.withResolvers<'changed'>();
  const watchers: FSWatcher[] = [];
  try {
    for (const folder of foldersOf(root)) {
      const watcher = watch(folder, (_, name) => {
        if (name === null || source.test(name)) resolve('changed');
      });
      // The folder was removed: its parent reports that.
      watchers.push(watcher.on('error', () => {}));
    }
  } catch (error) {
    // Such as the limit of the system on watched folders.
    say(`Not all changes of files are seen: ${describeError(error)}.\n`);
  }
  return {
    next,
    close() {
      for (const watcher of watchers) watcher.close();
    },
  };
}

/** The folder and those in it, except installed packages and hidden ones, such as that of the data. */
export function foldersOf(folder: string): readonly string[] {
  const inner = entriesOf(folder).filter(
    (entry) => entry.isDirectory() && entry.name !== 'node_modules' && !entry.name.startsWith('.'),
  );
  return [folder, ...inner.flatMap(({ name }) => foldersOf(join(folder, name)))];
}

/** None of a folder that was removed meanwhile, or that this user may not read. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
