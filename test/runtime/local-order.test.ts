/** Orders for the code that submits them: their handles, typed by the workflow. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { implementAgent, PermanentFault } from '#ports/agent-implementation.ts';
import { SubmissionError } from '#roles/submission/submission-error.ts';
import { type LocalReeveOptions, startLocalReeve } from '#runtime/local/local-reeve.ts';

const payment = defineAgent({
  name: 'payment',
  input: z.object({ cents: z.int() }),
  output: z.object({ chargeId: z.string() }),
  undo: 'offered',
});
const gift = defineAgent({ name: 'gift', input: z.null(), output: z.null(), undo: 'unneeded' });
const details = z.object({ cents: z.int(), isGift: z.boolean().default(false) });
const shopOf = (version: number, onFault: 'undo' | 'hold' = 'undo') =>
  defineWorkflow({ name: 'shop', version, details })
    .step('charge', {
      agent: payment,
      onFault,
      input: ({ details: { cents } }) => ({ cents }),
    })
    .step('wrap', { agent: gift, when: ({ details: { isGift } }) => isGift, input: () => null })
    .build();
const shop = shopOf(1);

const paymentAgent = implementAgent(payment, {
  async perform({ cents }) {
    if (cents > 1_000) throw new PermanentFault('declined', 'No.', 'none');
    return { chargeId: `charge-${cents}` };
  },
  async undo() {},
});
const giftAgent = implementAgent(gift, { perform: async () => null });
const agents = [paymentAgent, giftAgent];

async function start(options: Partial<LocalReeveOptions> = {}) {
  const reeve = await startLocalReeve({ workflows: [shop], agents, path: ':memory:', ...options });
  onTestFinished(() => reeve.close());
  return reeve;
}

test('the result of a processed order has the outputs of its steps', async () => {
  const reeve = await start();
  const order = await reeve.submit(shop, { cents: 5 });
  expect(await order.result()).toEqual({
    state: 'Processed',
    outputs: { charge: { chargeId: 'charge-5' }, wrap: undefined },
  });
  // Again, when it has ended for long.
  expect((await order.result()).state).toBe('Processed');
});

test('the result of an undone order has the fault', async () => {
  const reeve = await start();
  const order = await reeve.submit(shop, { cents: 5_000 });
  expect(await order.result()).toMatchObject({ state: 'Undone', fault: { code: 'declined' } });
});

test('an order in Error is a result, and after a cancel it is another one', async () => {
  const held = shopOf(1, 'hold');
  const reeve = await start({ workflows: [held] });
  const order = await reeve.submit(held, { cents: 5_000 });
  expect(await order.result()).toMatchObject({ state: 'Error', fault: { step: 'charge' } });
  await reeve.operator.cancel(order.id, 'olga');
  await expect.poll(async () => (await order.result()).state).toBe('Undone');
});

test('followers see the order until its end, and the last document is the stored one', async () => {
  const reeve = await start();
  const order = await reeve.submit(shop, { cents: 5 });
  const states: string[] = [];
  let last: unknown;
  for await (const document of order.follow()) {
    states.push(document.processState);
    last = document;
  }
  expect(states.at(-1)).toBe('Processed');
  expect(states.filter((state) => state === 'Processed')).toHaveLength(1);
  expect(last).toEqual(await order.read());
});

test('many wait for many orders, each for its own', async () => {
  const reeve = await start();
  const orders = await Promise.all(
    Array.from({ length: 200 }, (_, cents) => reeve.submit(shop, { cents })),
  );
  const results = await Promise.all(orders.flatMap((order) => [order.result(), order.result()]));
  expect(
    results.map((result) => result.state === 'Processed' && result.outputs.charge.chargeId),
  ).toEqual(orders.flatMap((_, cents) => [`charge-${cents}`, `charge-${cents}`]));
});

test('what is refused is an error with its fields, and nothing is stored', async () => {
  const reeve = await start();
  const { submit } = reeve;
  const refused = (given: unknown) =>
    submit({ ...shop, documents: undefined as never }, given as never).catch((error) => error);
  expect(await refused({ cents: 'five' })).toMatchObject({
    name: 'SubmissionError',
    code: 'details-invalid',
    retryAfterMs: null,
    errors: [{ field: 'details.cents' }],
  });
  expect(await refused({ cents: Number.NaN })).toBeInstanceOf(SubmissionError);
  const unknown = defineWorkflow({ name: 'other', version: 1, details }).step('wrap', {
    agent: gift,
    input: () => null,
  });
  await expect(submit(unknown.build(), { cents: 1 })).rejects.toMatchObject({
    code: 'workflow-unknown',
  });
  const { items } = await reeve.store.list({ processState: null, limit: 10, cursor: null });
  expect(items).toEqual([]);
});

test('a key gives the same order again, and is refused for another one', async () => {
  const reeve = await start();
  const first = await reeve.submit(shop, { cents: 5 }, { key: 'a' });
  expect((await reeve.submit(shop, { cents: 5 }, { key: 'a' })).id).toBe(first.id);
  await expect(reeve.submit(shop, { cents: 6 }, { key: 'a' })).rejects.toMatchObject({
    code: 'key-reused',
    message: expect.stringContaining('was used for another submission'),
  });
});

test('the options of a submission are those of the order', async () => {
  const reeve = await start();
  const options = { priority: 'high', tenant: 'inn', correlationId: 'c-1', by: 'web' } as const;
  const order = await reeve.submit(shop, { cents: 5 }, options);
  expect(await order.read()).toMatchObject({
    priority: 'high',
    tenant: 'inn',
    correlationId: 'c-1',
    history: expect.arrayContaining([expect.objectContaining({ type: 'submit', by: 'web' })]),
  });
});

test('a later process finds the order again, and only by the definition it has', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-orders-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  // The folder of the file is made.
  const path = join(folder, 'data', 'reeve.db');
  const first = await start({ path });
  const { id } = await first.submit(shop, { cents: 5 });
  await first.order(shop, id).result();
  first.close();
  const reeve = await start({ path });
  expect((await reeve.order(shop, id).result()).state).toBe('Processed');
  const next = shopOf(2);
  await expect(reeve.order(next, id).result()).rejects.toMatchObject({ code: 'workflow-mismatch' });
  await expect(reeve.order(shop, 'unknown').result()).rejects.toMatchObject({
    code: 'order-unknown',
  });
  expect(() => reeve.order(shop, 'not an id')).toThrow(
    expect.objectContaining({ code: 'id-malformed' }),
  );
});

test('the same name and version are not enough: the outputs of a changed definition may have another form', async () => {
  const reeve = await start();
  const { id } = await reeve.submit(shop, { cents: 5 });
  await reeve.order(shop, id).result();
  const changed = shopOf(1, 'hold');
  expect(changed.fingerprint).not.toBe(shop.fingerprint);
  await expect(reeve.order(changed, id).result()).rejects.toMatchObject({
    code: 'workflow-mismatch',
  });
});

test('a close ends the wait for a result', async () => {
  const never = implementAgent(gift, { perform: () => new Promise(() => {}) });
  const reeve = await start({ agents: [paymentAgent, never] });
  const order = await reeve.submit(shop, { cents: 5, isGift: true });
  const waits = expect(order.result()).rejects.toMatchObject({ code: 'store-closed' });
  await expect.poll(async () => (await order.read()).steps['charge']?.state).toBe('Completed');
  reeve.close();
  await waits;
});

test('a signal ends the wait for an order, and not the order', async () => {
  const gate = Promise.withResolvers<null>();
  const slow = implementAgent(gift, { perform: () => gate.promise });
  const reeve = await start({ agents: [paymentAgent, slow] });
  const order = await reeve.submit(shop, { cents: 5, isGift: true });
  const { signal, abort } = abortable();
  const result = expect(order.result({ signal })).rejects.toBe('enough');
  const followed = expect(last(order.follow({ signal }))).rejects.toBe('enough');
  await expect.poll(async () => (await order.read()).steps['charge']?.state).toBe('Completed');
  abort();
  await Promise.all([result, followed]);
  gate.resolve(null);
  expect((await order.result()).state).toBe('Processed');
  await expect(order.result({ signal })).rejects.toBe('enough');
});

async function last<Value>(values: AsyncIterable<Value>): Promise<Value | undefined> {
  let latest: Value | undefined;
  for await (const value of values) latest = value;
  return latest;
}

function abortable() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort('enough') };
}

test('an option of a wrong kind is refused by implementAgent', () => {
  const code = { perform: 'charge' };
  expect(() => implementAgent(payment, code as never)).toThrow(
    expect.objectContaining({ code: 'options-invalid' }),
  );
});

test.each([
  ['a tenant that is a number', { tenant: 5 }, 'tenant'],
  ['an unknown priority', { priority: 'urgent' }, 'priority'],
  ['a priority that every object has', { priority: 'toString' }, 'priority'],
  ['an empty key', { key: '' }, 'key'],
  ['a key with a line break', { key: 'a\nb' }, 'key'],
  ['a correlation id that is too long', { correlationId: 'c'.repeat(129) }, 'correlationId'],
  ['a submitter that is a number', { by: 5 }, 'by'],
  ['a submitter without a name', { by: '' }, 'by'],
  ['a submitter whose name is too long', { by: 'b'.repeat(65) }, 'by'],
  ['an empty tenant', { tenant: '' }, 'tenant'],
  ['a tenant that is stored as another one', { tenant: 'shop-\ud800' }, 'tenant'],
  ['a correlation id that is stored as another one', { correlationId: '\udfff' }, 'correlationId'],
  ['a submitter that is stored as another one', { by: '\ud800' }, 'by'],
  ['a response channel without a name', { replyTo: '' }, 'replyTo'],
  ['an unknown option', { prio: 'high' }, 'prio'],
  ['no options', null, 'options'],
])('%s is refused, and nothing is stored', async (_, options, field) => {
  const reeve = await start();
  await expect(reeve.submit(shop, { cents: 5 }, options as never)).rejects.toMatchObject({
    name: 'SubmissionError',
    code: 'option-invalid',
    errors: [{ field }],
  });
  expect((await reeve.store.list({ processState: null, limit: 1, cursor: null })).items).toEqual(
    [],
  );
});

test.each([
  ['a big integer', { cents: 5n }, 'details.cents'],
  ['a date', { cents: 5, at: new Date(0) }, 'details.at'],
  ['a map', { cents: 5, all: new Map() }, 'details.all'],
  ['a function', { cents: 5, all: [() => {}] }, 'details.all.0'],
  ['a missing element', { cents: 5, all: [undefined] }, 'details.all.0'],
])('details with %s are refused', async (_, details, field) => {
  const reeve = await start();
  await expect(reeve.submit(shop, details as never, { key: 'a' })).rejects.toMatchObject({
    code: 'details-invalid',
    errors: [{ field }],
  });
});

test('a property without a value counts as absent', async () => {
  const reeve = await start();
  const order = await reeve.submit(shop, { cents: 5, isGift: undefined });
  expect((await order.result()).state).toBe('Processed');
});
