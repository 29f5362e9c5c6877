/** docs/recipes.md, "Embed Reeve in an application": the example runs, and the tables have the options that exist. */
import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { expect, inject, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { reeveClient } from '#client/reeve-client.ts';
import { startForm } from '#runtime/local/option-checks.ts';
import { sell, serveShop, startShop } from '../../examples/recipes/embedded-shop.ts';

const page = readFileSync('docs/recipes.md', 'utf8');
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const status = z.object({ orderId: z.string(), processState: z.string() });

test('an order of the application ends, and its webhook gets each state, signed', async () => {
  const states: string[] = [];
  const processed = Promise.withResolvers<void>();
  const receiver = createServer(async (request, response) => {
    const headers = z.record(z.string(), z.string()).parse(request.headers);
    const message = status.parse(new Webhook(secret).verify(await text(request), headers));
    states.push(message.processState);
    response.writeHead(204).end();
    if (message.processState === 'Processed') processed.resolve();
  });
  await new Promise<void>((resolve) => {
    receiver.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    receiver.close();
  });
  const { port } = z.object({ port: z.int() }).parse(receiver.address());
  const reeve = await startShop({
    path: ':memory:',
    bank: { post: async () => ({ chargeId: 'c-1' }) },
    statusUrl: `http://127.0.0.1:${port}/`,
    secret,
  });
  onTestFinished(reeve.close);
  const order = await sell(reeve, 'sale-1', 2_490);
  expect(await order.result()).toMatchObject({ state: 'Processed' });
  expect((await sell(reeve, 'sale-1', 2_490)).id).toBe(order.id);
  await processed.promise;
  expect(states).toEqual(['Pending', 'Processing', 'Processed']);
});

test('its API is open to bearers of a token of the file alone', async () => {
  const bank = { post: async () => ({ chargeId: 'c-1' }) };
  const reeve = await startShop({
    path: ':memory:',
    bank,
    statusUrl: 'http://127.0.0.1:1',
    secret,
  });
  onTestFinished(reeve.close);
  const tokens = join(mkdtempSync(join(inject('temporaryFolder'), 'tokens-')), 'tokens.json');
  const ada = { name: 'ada', role: 'operator', sha256: hash('sha256', 'secret') };
  writeFileSync(tokens, JSON.stringify([ada]));
  const server = await serveShop(reeve, tokens, 0);
  onTestFinished(server.close);
  const address = `http://127.0.0.1:${new URL(server.url).port}/orders`;
  expect((await fetch(address)).status).toBe(401);
  const headers = { authorization: 'Bearer secret' };
  expect((await fetch(address, { headers })).status).toBe(200);
});

test('a secret of another form is refused before the start', () => {
  const wrong = { path: ':memory:', bank: { post: async () => ({}) }, statusUrl: 'http://x' };
  expect(() => startShop({ ...wrong, secret: 'secret' })).toThrow('The secret of the shop is no');
});

/** The first column of the table under a heading. */
const optionsUnder = (heading: string) => {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  const [own = ''] = section.split('\n## ');
  return [...own.matchAll(/^\| `(\w+)` \|/gm)].map(([, name = '']) => name);
};

test('the table of the options of a start has each, and no other', () => {
  const names = optionsUnder('Embed Reeve in an application');
  expect(names.toSorted()).toEqual(Object.keys(startForm.shape).toSorted());
});

test('the table of the options of the client has each, and no other', () => {
  const names = optionsUnder('Submit orders from an application');
  const misspelt = Object.fromEntries([
    ['url', 'http://x'],
    ['nosuch', 1],
  ]);
  expect(() => reeveClient(Object(misspelt))).toThrow(`they are ${names.join(', ')}.`);
});
