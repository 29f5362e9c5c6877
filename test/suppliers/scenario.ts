/** A running set of suppliers over a temp directory, with scripted chance and time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import * as z from 'zod';
import { startSuppliers } from '#suppliers/start-suppliers.ts';

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const ledgerSchema = z.object({
  entries: z.array(
    z.object({
      service: z.string(),
      key: z.string(),
      orderId: z.string().nullable(),
      state: z.string(),
      calls: z.number(),
      effects: z.number(),
      amountCents: z.number().optional(),
      at: z.iso.datetime(),
    }),
  ),
});

/** Inputs every service takes, for one order. */
export const inputs = {
  fraud: { orderId: 'o-1', customer: 'ada', amountCents: 4200, currency: 'EUR' },
  inventory: { orderId: 'o-1', lines: [{ sku: 'tea', quantity: 2 }] },
  payment: { orderId: 'o-1', amountCents: 4200, currency: 'EUR', token: 'tok' },
  shipping: { orderId: 'o-1', reservationId: 'res_1', shipTo: { city: 'Turin' } },
} as const;

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A directory that is removed after the test. */
export function tempDir(): string {
  const dir = mkdtempSync(join(tmpdir(), 'suppliers-'));
  cleanups.push(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

export type Scenario = Awaited<ReturnType<typeof scenario>>;

export async function scenario(dataDir = tempDir()) {
  const world = {
    /** The next draws; when they run out, 0.999: nothing goes wrong unless its rate is 1. */
    draws: [] as number[],
    /** The requested waits; a test may replace the promise to delay calls. */
    waits: [] as number[],
    gate: Promise.resolve(),
    /** Called at each wait: it shows that a call has arrived. */
    arrived: () => {},
  };
  const suppliers = await startSuppliers({
    port: 0,
    dataDir,
    random: () => world.draws.shift() ?? 0.999,
    sleep: (ms, signal) => {
      world.waits.push(ms);
      world.arrived();
      const aborted = Promise.withResolvers<void>();
      signal.addEventListener('abort', () => aborted.resolve());
      return Promise.race([world.gate, aborted.promise]);
    },
    now: () => Date.UTC(2026, 0, 2),
  });
  cleanups.push(suppliers.close);

  async function call(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
    const response = await fetch(`${suppliers.url}${path}`, { ...init, method });
    return { status: response.status, body: await response.json() };
  }

  function post(path: string, key: string, body: unknown, signal?: AbortSignal): Promise<Answer> {
    return call('POST', path, {
      headers: { 'Idempotency-Key': key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  return {
    ...suppliers,
    dataDir,
    world,
    call,
    post,
    pay: (key: string, signal?: AbortSignal) =>
      post('/payment/perform', key, inputs.payment, signal),
    undoPay: (performKey: string) => post('/payment/undo', `undo-${performKey}`, { performKey }),
    faults: (service: string, body: unknown) =>
      call('PUT', `/faults/${service}`, { body: JSON.stringify(body) }),
    entries: async (query = '') =>
      ledgerSchema.parse((await call('GET', `/ledger${query}`)).body).entries,
  };
}
