/** `reeve start` as a process, with its output. */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import * as z from 'zod';

export interface ReeveChild {
  readonly pid: number;
  /** Its standard error so far. */
  stderr(): string;
  /** Its address, once it listens. */
  readonly url: Promise<string>;
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>;
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

export interface ReeveChildOptions {
  readonly dataDir: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Words before the command. */
  readonly run?: readonly string[];
}

/** All services at one address. */
export const servicesAt = (url: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['FRAUD', 'INVENTORY', 'PAYMENT', 'SHIPPING'].map((name) => [`REEVE_${name}_URL`, url]),
  );

/** Addresses without services: orders proceed to their first call. */
export const noServices = servicesAt('http://127.0.0.1:9');

export function reeveChild({ dataDir, env, run = [] }: ReeveChildOptions): ReeveChild {
  const [command = process.execPath, ...args] = [...run, process.execPath, 'bin/reeve.ts', 'start'];
  const child: ChildProcessByStdio<null, Readable, Readable> = spawn(command, args, {
    env: { ...process.env, PORT: '0', REEVE_SUPPLIERS_PORT: '0', REEVE_DATA: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(() => child.exitCode ?? child.signalCode ?? 'unknown');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const listening = async () => {
    for (;;) {
      const url = /^Reeve listens on (\S+)$/m.exec(stdout)?.[1];
      if (url !== undefined) return url;
      if (child.exitCode !== null) throw new Error(`It ended: ${stderr}`);
      await pause(10);
    }
  };
  let url: Promise<string> | undefined;
  return {
    pid: child.pid ?? 0,
    stderr: () => stderr,
    get url() {
      url ??= listening();
      return url;
    },
    ended,
    kill: (signal) => void child.kill(signal),
  };
}

/** Submits an order; returns its id, or the status of a rejection. */
export async function submitOrder(url: string, key: string): Promise<string | number> {
  const response = await fetch(`${url}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({
      workflow: 'order-fulfilment',
      details: {
        customer: key,
        lines: [{ sku: 'cup', quantity: 1, unitPriceCents: 500 }],
        currency: 'EUR',
        payment: { token: 'tok_test' },
        shipTo: { name: 'A', street: 'B 1', city: 'C', postalCode: '1', country: 'DE' },
      },
    }),
  });
  const answer: unknown = await response.json();
  return response.status === 202
    ? z.object({ orderId: z.string() }).parse(answer).orderId
    : response.status;
}

/** Whether Reeve has each of these orders. */
export async function hasOrders(url: string, ids: readonly string[]): Promise<boolean> {
  const found = await Promise.all(ids.map((id) => fetch(`${url}/orders/${id}`)));
  return found.every(({ status }) => status === 200);
}
