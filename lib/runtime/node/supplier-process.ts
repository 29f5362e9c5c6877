/** Runs the simulated suppliers as a child process, which ends with this process. */
import { spawn } from 'node:child_process';
import { extname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { ReeveError } from '#core/model/errors.ts';

/** The child process. */
export interface SupplierProcess {
  /**
   * Their address, once they accept calls. Rejects with `suppliers-failed` ({@link ReeveError}) when they do not start;
   * their standard error has the reason.
   */
  readonly url: Promise<string>;
  /** Ends them, also during their start. */
  stop(): Promise<void>;
}

/** From the request to end to the kill, ms; short, because every answered call is already on disk. */
const stopWithinMs = 500;

/** Of the same kind as this file: source in the repository, compiled in the package. */
const command = fileURLToPath(
  new URL(`../../../bin/suppliers${extname(import.meta.filename)}`, import.meta.url),
);

/** Starts the process. `port`: 0 takes any free one. */
export function supplierProcess(options: {
  readonly port: number;
  readonly dataDir: string;
}): SupplierProcess {
  const child = spawn(
    process.execPath,
    [command, '--port', String(options.port), '--data', options.dataDir, '--with-parent'],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const gone = new Promise<undefined>((resolve) => {
    child.once('exit', () => resolve(undefined));
    // It could not be started at all.
    child.once('error', () => resolve(undefined));
  });
  return {
    url: addressOf(Promise.race([firstLine(child.stdout), gone]), options.port),
    async stop() {
      child.stdin.end();
      const timer = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
      await gone;
      clearTimeout(timer);
    },
  };
}

async function addressOf(first: Promise<string | undefined>, port: number): Promise<string> {
  const line = await first;
  if (line === undefined) {
    throw new ReeveError(
      'suppliers-failed',
      `The simulated suppliers did not start on port ${port}; the line above says why. If the port is taken, choose another REEVE_SUPPLIERS_PORT.`,
    );
  }
  return z.object({ url: z.string() }).parse(JSON.parse(line)).url;
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: stream })) return line;
  return undefined;
}
