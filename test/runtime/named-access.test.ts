/** `reeve start` with named tokens: authorisation and the access log. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { shippedOrders } from '#runtime/command/shipped-orders.ts';
import { startCommand } from '#runtime/command/start-command.ts';

const token = 'reeve_token-of-olga';
const entry = {
  name: 'olga',
  role: 'viewer',
  sha256: createHash('sha256').update(token).digest('hex'),
};
const elsewhere = 'http://127.0.0.1:9';

async function started(tokens: string) {
  const data = mkdtempSync(join(tmpdir(), 'reeve-access-'));
  const path = join(data, 'tokens.json');
  writeFileSync(path, tokens);
  const stop = Promise.withResolvers<void>();
  const url = Promise.withResolvers<string>();
  const errors: string[] = [];
  const ended = startCommand(
    {
      env: {
        PORT: '0',
        REEVE_DATA: data,
        REEVE_TOKENS: path,
        REEVE_LOG: 'silent',
        REEVE_FRAUD_URL: elsewhere,
        REEVE_INVENTORY_URL: elsewhere,
        REEVE_PAYMENT_URL: elsewhere,
        REEVE_SHIPPING_URL: elsewhere,
      },
      terminal: () => null,
      stdout: (text) => {
        const [, address] = /listens on (\S+)/.exec(text) ?? [];
        if (address !== undefined) url.resolve(address);
      },
      stderr: (text) => errors.push(text),
      stopped: stop.promise,
    },
    shippedOrders,
  );
  onTestFinished(async () => {
    stop.resolve();
    await ended;
    rmSync(data, { recursive: true });
  });
  return { url: url.promise, ended, errors };
}

test('a token authorises a request, and the access log is written at every log level', async () => {
  const { url, errors } = await started(JSON.stringify([entry]));
  const address = await url;
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${address}/orders`, { headers })).status).toBe(200);
  expect((await fetch(`${address}/orders/o-1/cancel`, { method: 'POST', headers })).status).toBe(
    403,
  );
  expect((await fetch(`${address}/orders?tenant=inn`)).status).toBe(401);
  expect(errors.map((line) => JSON.parse(line))).toMatchObject([
    { event: 'access', path: '/orders/o-1/cancel', principal: 'olga', status: 403 },
    { event: 'access', path: '/orders', principal: null, status: 401 },
  ]);
});

test('an invalid file of tokens ends the start with 2 and a reason', async () => {
  const { ended, errors } = await started('[{"name":"olga","role":"boss"}]');
  expect(await ended).toBe(2);
  expect(errors.join('')).toMatch(/tokens-unusable/);
  expect(errors.join('')).toMatch(/0\.role/);
});
