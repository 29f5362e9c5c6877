/** A `reeve start` in a process of its own, whose agents call the example services. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Where it runs. */
export interface StartedReeveOptions {
  /** Its data directory. */
  readonly folder: string;
  readonly port: number;
  /** The address of the services. */
  readonly suppliers: string;
}

/** It prints errors only. */
export function startedReeve({ folder, port, suppliers }: StartedReeveOptions): ChildProcess {
  return spawn(process.execPath, [join(import.meta.dirname, '../bin/reeve.ts'), 'start'], {
    env: {
      ...process.env,
      PORT: String(port),
      REEVE_DATA: folder,
      REEVE_FRAUD_URL: `${suppliers}/fraud`,
      REEVE_INVENTORY_URL: `${suppliers}/inventory`,
      REEVE_PAYMENT_URL: `${suppliers}/payment`,
      REEVE_SHIPPING_URL: `${suppliers}/shipping`,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

/** Resolves when the Reeve at the address answers. */
export async function firstAnswer(url: string): Promise<void> {
  for (;;) {
    try {
      await (await fetch(`${url}/healthz`)).text();
      return;
    } catch {
      await sleep(5);
    }
  }
}
