/** The simulated suppliers as a child process, which ends when this one does. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { ReeveError } from '#core/errors.ts';

export interface SupplierProcess {
  readonly url: string;
  stop(): Promise<void>;
}

const command = fileURLToPath(new URL('../../bin/suppliers.ts', import.meta.url));

/** @throws {ReeveError} `suppliers-failed` when they do not come up */
export async function startSupplierProcess(options: {
  readonly port: number;
  readonly dataDir: string;
}): Promise<SupplierProcess> {
  const child = spawn(
    process.execPath,
    [command, '--port', String(options.port), '--data', options.dataDir, '--with-parent'],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const gone = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const first = await Promise.race([firstLine(child.stdout), gone]);
  if (first === undefined) {
    throw new ReeveError(
      'suppliers-failed',
      `The simulated suppliers did not start on port ${options.port}. Is the port taken? Choose another REEVE_SUPPLIERS_PORT.`,
    );
  }
  const { url } = z.object({ url: z.string() }).parse(JSON.parse(first));
  return {
    url,
    async stop() {
      child.stdin.end();
      await gone;
    },
  };
}

async function firstLine(stream: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: stream })) return line;
  return undefined;
}
