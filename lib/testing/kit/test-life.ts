/** The processes of a Reeve for tests, one after the other: each has the disk that the one before it left. */
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { KitError } from './kit-error.ts';
import type { Process } from './test-process.ts';

/** See {@link lifeIn}. */
export interface TestLife {
  isUp(): boolean;
  /** @throws {KitError} `reeve-killed` when no process runs */
  living(): Process;
  start(): Promise<void>;
  /** Nothing is done when no process runs. */
  kill(): void;
  /** @throws {KitError} `reeve-running` when the process runs */
  readonly restart: () => Promise<void>;
  /** The last process ends, and its disk is not needed any more. */
  end(): void;
}

/**
 * @param folder of the disks
 * @param startOn starts a process on a disk
 */
export function lifeIn(folder: string, startOn: (path: string) => Promise<Process>): TestLife {
  let generation = 0;
  let process: Process | null = null;

  async function start(): Promise<void> {
    generation += 1;
    process = await startOn(pathOf(folder, generation));
  }

  return {
    start,
    isUp: () => process !== null,
    living() {
      if (process !== null) return process;
      throw new KitError('reeve-killed', 'Reeve was killed: call `restart` first.');
    },
    kill() {
      if (process === null) return;
      const killed = process;
      process = null;
      copyData(pathOf(folder, generation), pathOf(folder, generation + 1));
      killed.end();
    },
    restart: async () => {
      if (process !== null)
        throw new KitError('reeve-running', 'Reeve runs: call `kill` before `restart`.');
      await start();
    },
    end() {
      process?.end();
      process = null;
    },
  };
}

const pathOf = (folder: string, generation: number) => join(folder, `reeve-${generation}.db`);

/** What a crash leaves on disk is what is there now. */
function copyData(from: string, to: string): void {
  for (const end of ['', '-wal']) if (existsSync(from + end)) copyFileSync(from + end, to + end);
}
