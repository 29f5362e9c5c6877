/** Bulk submission over HTTP: one outcome for each order, by the rules of a single submission. */
import { StatementSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { UnavailableError } from '#core/model/errors.ts';
import { limits } from '#core/model/limits.ts';
import { problemSchema } from '#http/problem-schema.ts';
import { batchResultSchema } from '#http/schemas.ts';
import { submissionBatch } from '#roles/submission/submission-batch.ts';
import type { SubmissionOutcome, SubmissionRequest } from '#roles/submission.ts';
import { testLog } from '../support/log.ts';
import { body, identified, json, orderIdOf, type Scenario, scenario } from './scenario.ts';

async function outcomesOf(response: Response) {
  expect(response.status).toBe(200);
  return batchResultSchema.strict().parse(await response.json()).orders;
}

const submitAll = async ({ post }: Scenario, orders: readonly unknown[]) =>
  outcomesOf(await post('/orders/batch', { orders }));

/** `accepted`, or the code of the problem with its fields. */
function wordsOf(outcomes: Awaited<ReturnType<typeof submitAll>>): readonly string[] {
  return outcomes.map((outcome) => {
    if (!('problem' in outcome)) return outcome.kind;
    const { code, errors = [] } = outcome.problem;
    return [outcome.kind, code, ...errors.map(({ field }) => field)].join(' ');
  });
}

async function storedOrders({ get }: Scenario): Promise<number> {
  const list = z.object({ orders: z.array(z.unknown()) });
  return list.parse(await (await get('/orders?limit=200')).json()).orders.length;
}

/** A Reeve whose submission answers as the test says. */
const answering = (answer: (request: SubmissionRequest) => Promise<SubmissionOutcome>) => {
  const log = testLog();
  const world = scenario((ports) => {
    const submission = { submit: answer };
    const clock = { ...ports.clock, now: () => 1_000 };
    return { ...ports, log, batch: submissionBatch({ ...ports, clock, submission }), clock };
  });
  return { log, world };
};

test('a hundred orders are accepted, each with its id in the sequence of the request', async () => {
  const world = await scenario();
  const orders = Array.from({ length: 100 }, (_, at) => ({
    ...body,
    ...{ priority: 'high', tenant: 'inn', key: `k-${at}`, correlationId: `table ${at}` },
  }));
  const outcomes = await submitAll(world, orders);
  expect(outcomes).toHaveLength(100);
  for (const [at, outcome] of outcomes.entries()) {
    if (outcome.kind !== 'accepted') throw new Error(JSON.stringify(outcome));
    expect(outcome).toMatchObject({ processState: 'Pending', href: `/orders/${outcome.orderId}` });
    expect(await (await world.get(outcome.href)).json()).toMatchObject({
      ...{ correlationId: `table ${at}`, priority: 'high', tenant: 'inn', replyTo: null },
    });
  }
});

test('the orders of a request are written by one group commit', async () => {
  const world = await scenario();
  const run = vi.spyOn(StatementSync.prototype, 'run');
  onTestFinished(() => run.mockRestore());
  await submitAll(world, Array(100).fill(body));
  const statements = run.mock.contexts.map((statement) =>
    statement instanceof StatementSync ? statement.sourceSQL : '',
  );
  const first = statements.slice(0, statements.indexOf('COMMIT'));
  expect(first.filter((sql) => /^INSERT INTO Orders\b/.test(sql))).toHaveLength(100);
});

test('a request that is repeated creates no second order, as a whole and order by order', async () => {
  const world = await scenario();
  const orders = Array.from({ length: 5 }, (_, at) => ({ ...body, key: `k-${at}` }));
  const idsOf = (outcomes: Awaited<ReturnType<typeof submitAll>>) =>
    outcomes.map((outcome) => ('orderId' in outcome ? outcome.orderId : null));
  const first = await submitAll(world, orders);
  const second = await submitAll(world, orders.toReversed());
  expect(wordsOf(second)).toEqual(Array(5).fill('recognised'));
  expect(idsOf(second)).toEqual(idsOf(first).toReversed());
  const single = await world.submit(body, { 'idempotency-key': 'k-3' });
  expect(await orderIdOf(single)).toBe(idsOf(first)[3]);
  expect(await storedOrders(world)).toBe(5);
});

test('a fault of an order refuses that one alone, with the problem that it would have by itself', async () => {
  const world = await scenario();
  await world.submit({ ...body, tenant: 'pub' }, { 'idempotency-key': 'used' });
  const { details } = body;
  const outcomes = await submitAll(world, [
    body,
    { ...body, workflow: 'breakfast' },
    { ...body, details: { ...details, guests: 0 } },
    { ...body, replyTo: 'nobody' },
    { ...body, colour: 'red' },
    { ...body, key: 'a b' },
    { ...body, priority: 'now' },
    { workflow: 'dinner' },
    null,
    'soup',
    [body],
    { ...body, details: { ...details, dish: 'x'.repeat(limits.bodyBytesMax) } },
    { ...body, tenant: 'pub', details: { ...details, guests: 9 }, key: 'used' },
    body,
  ]);
  expect(wordsOf(outcomes)).toEqual([
    'accepted',
    'refused workflow-unknown workflow',
    'refused details-invalid details.guests',
    'refused reply-to-unknown replyTo',
    'refused body-invalid colour',
    'refused body-invalid key',
    'refused body-invalid priority',
    'refused body-invalid details',
    'refused body-invalid order',
    'refused body-invalid order',
    'refused body-invalid order',
    'refused body-too-large',
    'refused key-reused Idempotency-Key',
    'accepted',
  ]);
  for (const outcome of outcomes) {
    if ('problem' in outcome) expect(outcome.problem.status).toBeGreaterThanOrEqual(400);
  }
  expect(await storedOrders(world)).toBe(3);
});

test('the answer to a request with as many errors as it has room for fits that of a function', async () => {
  const world = await scenario();
  const { details } = body;
  // A control character has six bytes in the request and in the answer, and seven in the event of a function with the answer.
  const keys = Array.from({ length: 11 }, (_, at) => [`${'\u0001'.repeat(140)}${at}`, 1]);
  const unknown = Object.fromEntries(keys);
  const answers = [
    { ...body, ...unknown },
    { ...body, details: { ...details, ...unknown } },
  ];
  for (const order of answers) {
    const orders = Array(limits.batchOrdersMax).fill(order);
    const text = await (await world.post('/orders/batch', { orders })).text();
    expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThan(3_500_000);
    const [first, last] = [0, 99].map((at) => batchResultSchema.parse(JSON.parse(text)).orders[at]);
    expect(first).toEqual(last);
    expect(first).toMatchObject({ kind: 'refused', problem: { errors: expect.any(Array) } });
  }
});

test('of two orders with the same key, the first one counts', async () => {
  const world = await scenario();
  const other = { ...body, details: { dish: 'stew', guests: 1 }, key: 'k' };
  const outcomes = await submitAll(world, [{ ...body, key: 'k' }, other, { ...body, key: 'k' }]);
  expect(wordsOf(outcomes)).toEqual([
    'accepted',
    'refused key-reused Idempotency-Key',
    'recognised',
  ]);
});

test('a principal of one tenant submits for that tenant alone', async () => {
  const world = await scenario((ports) => ({
    ...ports,
    guard: {
      hosts: null,
      pages: new Set(),
      identify: () => identified({ name: 'ida', role: 'submitter', tenant: 'inn' }),
    },
  }));
  const outcomes = await submitAll(world, [body, { ...body, tenant: 'pub' }]);
  expect(wordsOf(outcomes)).toEqual(['accepted', 'refused tenant-forbidden']);
  const [own] = outcomes;
  if (own === undefined || !('href' in own)) throw new Error('not accepted');
  expect(await (await world.get(own.href)).json()).toMatchObject({ tenant: 'inn' });
});

test('orders that are not accepted for now say when to come again, and the others are accepted', async () => {
  const { log, world } = answering(async ({ priority, tenant }) =>
    priority === 'low'
      ? {
          kind: 'overloaded',
          code: tenant === null ? 'overloaded' : 'tenant-over-share',
          retryAfterMs: 7_001,
        }
      : { kind: 'refused', code: 'details-invalid', errors: [] },
  );
  const outcomes = await submitAll(await world, [
    { ...body, priority: 'low' },
    body,
    { ...body, priority: 'low', tenant: 'inn' },
  ]);
  expect(wordsOf(outcomes)).toEqual([
    'overloaded overloaded',
    'refused details-invalid',
    'overloaded tenant-over-share',
  ]);
  expect(log.lines).toEqual([
    expect.objectContaining({
      event: 'orders-not-accepted',
      fields: { by: 'olga', of: 3, refused: 1, overloaded: 2, failed: 0 },
    }),
  ]);
  expect(outcomes[2]).toMatchObject({
    retryAfterSeconds: 8,
    problem: { class: 'low', retryAt: '1970-01-01T00:00:09.000Z', status: 429 },
  });
});

test('an error of the store fails its orders alone, and is in the log once', async () => {
  const down = new UnavailableError('store-unavailable', 'The disk is gone.');
  const { log, world } = answering(async ({ correlationId }) => {
    if (correlationId === 'defect') throw new TypeError('secret');
    if (correlationId !== null) throw down;
    return { kind: 'refused', code: 'details-invalid', errors: [] };
  });
  const failing = { ...body, correlationId: 'x' };
  const orders = [failing, body, failing, { ...body, correlationId: 'defect' }];
  const outcomes = await submitAll(await world, orders);
  expect(wordsOf(outcomes)).toEqual([
    'failed unavailable',
    'refused details-invalid',
    'failed unavailable',
    'failed internal',
  ]);
  expect(outcomes[0]).toMatchObject({ retryAfterSeconds: 1 });
  expect(JSON.stringify(outcomes)).not.toContain('secret');
  const failed = log.lines.filter(({ event }) => event === 'request-failed');
  expect(failed).toMatchObject([
    { fields: { error: 'UnavailableError', reason: 'The disk is gone.', route: '/orders/batch' } },
    { fields: { error: 'TypeError', reason: null } },
  ]);
});

describe('the request as a whole is refused, and nothing is stored', () => {
  const tooLarge = { ...body, details: { dish: 'x'.repeat(100_000), guests: 1 } };
  test.each([
    ['no object', [body], 422, 'body-invalid', ['body']],
    ['no list', {}, 422, 'body-invalid', ['orders']],
    ['an order that is no list', { orders: body }, 422, 'body-invalid', ['orders']],
    ['an empty list', { orders: [] }, 422, 'body-invalid', ['orders']],
    ['101 orders', { orders: Array(101).fill(body) }, 422, 'body-invalid', ['orders']],
    ['an unknown field', { orders: [body], key: 'k' }, 422, 'body-invalid', ['key']],
    ['a body over its limit', { orders: Array(11).fill(tooLarge) }, 413, 'body-too-large', []],
  ])('%s', async (_, document, status, code, fields) => {
    const world = await scenario();
    const response = await world.post('/orders/batch', document);
    expect(response.status).toBe(status);
    const { code: given, errors = [] } = problemSchema.parse(await response.json());
    expect(given).toBe(code);
    expect(errors.map(({ field }) => field)).toEqual(fields);
    expect(await storedOrders(world)).toBe(0);
  });

  test.each([
    ['no JSON', '{"orders":[', {}, 400, 'json-malformed'],
    [
      'a name that occurs twice in an order',
      `{"orders":[${JSON.stringify(body)},{"workflow":"a","workflow":"b"}]}`,
      {},
      400,
      'json-malformed',
    ],
    ['another type', '{}', { 'content-type': 'text/plain' }, 415, 'media-type-unsupported'],
    [
      'the key of a single order',
      JSON.stringify({ orders: [body] }),
      { 'idempotency-key': 'k' },
      400,
      'header-invalid',
    ],
  ])('%s', async (_, text, headers, status, code) => {
    const world = await scenario();
    const response = await world.app.request('/orders/batch', {
      ...{ method: 'POST', headers: { ...json, ...headers }, body: text },
    });
    expect(response.status).toBe(status);
    expect(problemSchema.parse(await response.json()).code).toBe(code);
    expect(await storedOrders(world)).toBe(0);
  });
});

test.each(['GET', 'HEAD', 'PUT', 'DELETE'])('%s is not one of its methods', async (method) => {
  const { app } = await scenario();
  const response = await app.request('/orders/batch', { method });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
});

test('a body that is too large for a single order is accepted for several', async () => {
  const world = await scenario();
  const large = { ...body, details: { dish: 'x'.repeat(100_000), guests: 1 } };
  expect(wordsOf(await submitAll(world, Array(10).fill(large)))).toEqual(
    Array(10).fill('accepted'),
  );
});
