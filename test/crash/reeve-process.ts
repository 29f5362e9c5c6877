/** Reeve as a separate process, which can be killed and restarted on the same data. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { pause } from './chance.ts';

export interface ReeveProcess {
  readonly url: string;
  /** Resolves when the API answers. */
  start(): Promise<void>;
  /** SIGKILL: no handler runs, and nothing is flushed. */
  kill(): Promise<void>;
}

export function reeveProcess(options: {
  readonly port: number;
  readonly dataDir: string;
  readonly suppliersUrl: string;
}): ReeveProcess {
  const url = `http://127.0.0.1:${options.port}`;
  const command = fileURLToPath(new URL('../../bin/reeve.ts', import.meta.url));
  let child: ChildProcess | undefined;
  return {
    url,
    async start() {
      child = spawn(process.execPath, [command, 'start'], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: {
          ...process.env,
          HOST: '127.0.0.1',
          PORT: String(options.port),
          REEVE_DATA: options.dataDir,
          REEVE_LOG: 'silent',
          REEVE_FRAUD_URL: `${options.suppliersUrl}/fraud`,
          REEVE_INVENTORY_URL: `${options.suppliersUrl}/inventory`,
          REEVE_PAYMENT_URL: `${options.suppliersUrl}/payment`,
          REEVE_SHIPPING_URL: `${options.suppliersUrl}/shipping`,
        },
      });
      while (!(await answers(`${url}/workflows`))) {
        if (child.exitCode !== null) throw new Error(`reeve ended with ${child.exitCode}`);
        await pause(20);
      }
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}
