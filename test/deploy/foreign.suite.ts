/** The construct in the stack of another application, twice: its orders end, and its agent reads its secret. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { addressesOutput } from '#text/addresses-output.ts';
import { bootstrap, deploy, destroy } from './cdk.ts';
import { commandLine } from './command-line.ts';
import { Deployed } from './deployed.ts';
import { type MiniStack, startMiniStack } from './ministack.ts';

const ids = ['Orders', 'Returns'];
const addresses = z.record(z.string(), z.string());

let cloud: MiniStack;
let outputs: Readonly<Record<string, string>>;

beforeAll(async () => {
  cloud = await startMiniStack();
  Object.assign(process.env, cloud.env);
  await bootstrap(cloud.env);
  const app = { app: 'node test/deploy/foreign/app.ts', stack: 'Shop', context: {} };
  outputs = await deploy(app, cloud.env);
});

afterAll(async () => {
  try {
    await destroy('shop');
  } finally {
    await cloud.close();
  }
});

const reeveOf = (id: string) =>
  new Deployed(cloud, addresses.parse(JSON.parse(outputs[addressesOutput([id])] ?? '')));

test.each(ids)('an order of %s is Processed: its agent has read its secret', async (id) => {
  const reeve = reeveOf(id);
  const orderId = await reeve.submit({ workflow: 'sale', details: { cents: 500 } });
  const ended = await reeve.until(
    orderId,
    ({ processState }) => processState === 'Processed',
    false,
  );
  expect(ended).toMatchObject({
    fault: null,
    steps: { charge: { state: 'Completed' }, pack: { state: 'Completed' } },
  });
});

test('neither sees the orders of the other', async () => {
  const [orders, returns] = ids.map(reeveOf);
  const orderId = await orders?.submit({ workflow: 'sale', details: { cents: 1 } });
  expect(await returns?.api('GET', `/orders/${orderId}`)).toMatchObject({ status: 404 });
});

test.each(ids)('reeve --stack shop/%s finds it', async (id) => {
  const found = await commandLine(reeveOf(id), 'list', '--stack', `shop/${id}`, '--json');
  expect(found).toMatchObject({ exitCode: 0, stderr: '' });
  expect(found.stdout).toContain('Processed');
});
