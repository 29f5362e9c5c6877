/** What the environment says reaches what it is about: `reeve start` and `reeve dev` without the Reeve behind them. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { ReeveError } from '#core/model/errors.ts';
import { idempotencyKey, orderId, stepName } from '#core/model/ids.ts';
import { shippedOrders } from '#runtime/command/shipped-orders.ts';
import { startCommand } from '#runtime/command/start-command.ts';
import { readConfig } from '#runtime/local/config.ts';
import type { LocalReeveOptions } from '#runtime/local/local-reeve.ts';

const { started, suppliers } = vi.hoisted(() => {
  const noted: { started: LocalReeveOptions[]; suppliers: unknown[] } = {
    started: [],
    suppliers: [],
  };
  return noted;
});

vi.mock('#runtime/local/local-reeve.ts', () => ({
  async startLocalReeve(options: LocalReeveOptions) {
    started.push(options);
    throw new ReeveError('store-in-use', 'This Reeve only notes how it is started.');
  },
}));
vi.mock('#runtime/node/supplier-process.ts', () => ({
  supplierProcess(options: unknown) {
    suppliers.push(options);
    return { url: Promise.resolve('http://suppliers'), stop: async () => {} };
  },
}));

const dataDir = () => mkdtempSync(join(inject('temporaryFolder'), 'wiring-'));

/** The options with which Reeve is started. */
async function startedWith(
  env: Readonly<Record<string, string>>,
  isDevelopment = false,
): Promise<LocalReeveOptions | undefined> {
  started.length = 0;
  const io = {
    env,
    stdout() {},
    stderr() {},
    terminal: () => null,
    stopped: new Promise<void>(() => {}),
  };
  const served = { workflows: [], agents: [], isDevelopment, welcome: () => '' };
  expect(await startCommand(io, async () => served)).toBe(2);
  return started[0];
}

test('each variable of a start reaches Reeve, in the unit of its option', async () => {
  const folder = dataDir();
  const channels = join(folder, 'channels.json');
  writeFileSync(
    channels,
    JSON.stringify({ mail: { kind: 'webhook', url: 'https://x.example', secretVariable: 'S' } }),
  );
  const env = {
    ...{ REEVE_DATA: folder, REEVE_CHANNELS: channels, S: `whsec_${'A'.repeat(32)}` },
    ...{ REEVE_TENANT_WEIGHTS: '{"inn":4}', REEVE_KEEP_DAYS: '2', REEVE_BACKLOG_MAX: '7' },
  };
  const options = await startedWith(env);
  expect(options).toMatchObject({
    ...{ path: join(folder, 'reeve.db'), keepEndedMs: 2 * 86_400_000, backlogMaxMs: 7_000 },
    responseChannels: { mail: expect.any(Function) },
    tenantWeights: new Map([['inn', 4]]),
  });
});

test.each([true, false])(
  'errors are shown with their messages only in development: %s',
  async (is) => {
    const options = await startedWith({ REEVE_DATA: dataDir() }, is);
    expect(options?.onCodeError !== undefined).toBe(is);
  },
);

const names = ['fraud', 'inventory', 'payment', 'shipping'] as const;
const subsets = Array.from({ length: 16 }, (_, bits) => names.filter((_, at) => bits & (2 ** at)));

test.each(subsets.map((own) => [own]))(
  'with the addresses of %j the other services are simulated',
  async (own) => {
    suppliers.length = 0;
    const urls: unknown[] = [];
    vi.stubGlobal('fetch', async (url: unknown) => {
      urls.push(url);
      return Response.json({ code: 'no', message: 'No.' }, { status: 422 });
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const env = Object.fromEntries(
      own.map((name) => [`REEVE_${name.toUpperCase()}_URL`, `http://own-${name}/`]),
    );
    const config = readConfig({ REEVE_DATA: 'd', REEVE_SUPPLIERS_PORT: '4500', ...env });
    const { agents } = await shippedOrders(config, { add() {}, closeAll: async () => {} });
    for (const agent of agents) {
      const key = idempotencyKey(orderId('one'), stepName('charge'), 'perform', 1);
      const call = { orderId: 'one', idempotencyKey: key, attempt: 1, endpoint: '' };
      const { signal } = new AbortController();
      await expect(agent.perform({}, { ...call, signal, heartbeat() {} })).rejects.toThrow('No.');
    }
    expect(urls).toEqual(
      names.map((name) =>
        own.includes(name) ? `http://own-${name}/perform` : `http://suppliers/${name}/perform`,
      ),
    );
    expect(suppliers).toEqual(
      own.length === 4 ? [] : [{ port: 4_500, dataDir: join('d', 'suppliers') }],
    );
  },
);
