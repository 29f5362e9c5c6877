import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { orderSchema } from '#http/schemas.ts';
import { body, orderIdOf, type Scenario, scenario } from './scenario.ts';

const list = z.object({
  orders: z.array(
    z.object({
      orderId: z.string(),
      processState: z.string(),
      correlationId: z.string().nullable(),
    }),
  ),
  cursor: z.string().nullable(),
});

test('a submission is accepted with a Location, and shown completely once it is Processed', async () => {
  const { submit, get, reaches } = await scenario();
  const response = await submit({
    ...body,
    priority: 'high',
    tenant: 'inn',
    correlationId: 'table 7',
  });
  expect(response.status).toBe(202);
  const location = response.headers.get('location') ?? '';
  const id = await orderIdOf(response);
  expect(location).toBe(`/orders/${id}`);
  await reaches(id, 'Processed');

  const shown = await get(location);
  expect(shown.status).toBe(200);
  const order = orderSchema.parse(await shown.json());
  expect(order).toMatchObject({
    orderId: id,
    workflow: 'dinner',
    workflowVersion: 1,
    processState: 'Processed',
    direction: 'forward',
    lockedBy: null,
    completeBy: null,
    failureCount: 0,
    priority: 'high',
    tenant: 'inn',
    correlationId: 'table 7',
    details: body.details,
    fault: null,
  });
  expect(order.steps['cook']).toMatchObject({
    state: 'Completed',
    attempt: 1,
    output: { plate: 'soup' },
  });
  expect(order.history.map(({ type }) => type)).toEqual(['submit', 'claim', 'stepSucceeded']);
});

test('a hundred concurrent submissions with the same key and body are one order', async () => {
  const { submit, get } = await scenario();
  const key = { 'idempotency-key': 'dinner-7' };
  const responses = await Promise.all(Array.from({ length: 100 }, () => submit(body, key)));
  const ids = new Set(await Promise.all(responses.map(orderIdOf)));
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([202]));
  expect(ids.size).toBe(1);
  expect(list.parse(await (await get('/orders')).json()).orders).toHaveLength(1);
});

test('a key belongs to a tenant, so another tenant may use the same', async () => {
  const { submit } = await scenario();
  const key = { 'idempotency-key': 'dinner-7' };
  const first = await orderIdOf(await submit({ ...body, tenant: 'inn' }, key));
  const second = await orderIdOf(await submit({ ...body, tenant: 'pub' }, key));
  expect(first).not.toBe(second);
});

test('the listing has pages, newest first, and filters by state', async () => {
  const { submit, get, refuse, reaches } = await scenario();
  const ids: string[] = [];
  for (const refuses of [false, true, false, true, false]) {
    refuse(refuses);
    const id = await orderIdOf(await submit());
    await reaches(id, refuses ? 'Error' : 'Processed');
    ids.unshift(id);
  }
  const seen: string[] = [];
  for (let query = '?limit=2'; ; ) {
    const page = list.parse(await (await get(`/orders${query}`)).json());
    seen.push(...page.orders.map(({ orderId }) => orderId));
    if (page.cursor === null) break;
    query = `?limit=2&cursor=${encodeURIComponent(page.cursor)}`;
  }
  expect(seen).toEqual(ids);
  const inError = list.parse(await (await get('/orders?state=Error')).json());
  expect(inError.orders.map(({ orderId }) => orderId)).toEqual([ids[1], ids[3]]);
});

test('an order in Error is shown with its fault; after a resubmit it is Processed', async () => {
  const { submit, get, post, refuse, reaches } = await scenario();
  refuse(true);
  const id = await orderIdOf(await submit());
  await reaches(id, 'Error');
  const stopped = orderSchema.parse(await (await get(`/orders/${id}`)).json());
  expect(stopped.fault).toEqual({
    code: 'burnt',
    message: 'soup is burnt',
    effect: 'none',
    step: 'cook',
    action: 'perform',
  });

  refuse(false);
  const response = await post(`/orders/${id}/resubmit`);
  expect(response.status).toBe(202);
  expect(await response.json()).toEqual({ orderId: id, processState: 'Pending' });
  await reaches(id, 'Processed');
});

test('an order in Error that is cancelled is Undone', async () => {
  const { submit, post, refuse, reaches } = await scenario();
  refuse(true);
  const id = await orderIdOf(await submit());
  await reaches(id, 'Error');
  expect((await post(`/orders/${id}/cancel`)).status).toBe(202);
  await reaches(id, 'Undone');
});

test('an order gets another priority, which its history shows with who changed it', async () => {
  const { submit, get, post, refuse, reaches } = await scenario();
  refuse(true);
  const id = await orderIdOf(await submit());
  await reaches(id, 'Error');
  const response = await post(`/orders/${id}/reprioritise`, { priority: 'high' });
  expect(response.status).toBe(202);
  expect(await response.json()).toEqual({ orderId: id, processState: 'Error' });
  const order = orderSchema.parse(await (await get(`/orders/${id}`)).json());
  expect(order.priority).toBe('high');
  expect(order.actions.reprioritise).toBeNull();
  expect(order.history.at(-1)).toMatchObject({
    ...{ type: 'reprioritise', by: 'olga', priority: 'high', from: 'normal' },
  });
});

test.each([
  [409, 'same-priority', { priority: 'normal' }],
  [422, 'body-invalid', { priority: 'urgent' }],
  [422, 'body-invalid', {}],
])('a new priority is refused with %i %s', async (status, code, document) => {
  const { submit, post, refuse, reaches } = await scenario();
  refuse(true);
  const id = await orderIdOf(await submit());
  await reaches(id, 'Error');
  const response = await post(`/orders/${id}/reprioritise`, document);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ code });
});

test('an order that has ended keeps its priority', async () => {
  const { submit, post, reaches } = await scenario();
  const id = await orderIdOf(await submit());
  await reaches(id, 'Processed');
  const response = await post(`/orders/${id}/reprioritise`, { priority: 'low' });
  expect([response.status, await response.json()]).toMatchObject([409, { code: 'ended' }]);
});

test('a listing can be searched: by workflow, agent, step, fault, and when an order changed', async () => {
  const { submit, get, refuse, reaches } = await scenario();
  refuse(true);
  const id = await orderIdOf(await submit());
  await reaches(id, 'Error');
  const found = async (query: string) =>
    list.parse(await (await get(`/orders?${query}`)).json()).orders.map(({ orderId }) => orderId);
  const past = '2020-01-01T00:00:00Z';
  const future = '2100-01-01T00:00:00Z';
  expect(await found('state=Error&workflow=dinner&agent=cook')).toEqual([id]);
  expect(await found(`since=${past}&before=${future}`)).toEqual([id]);
  expect(await found('step=cook&fault=burnt')).toEqual([id]);
  const others = ['workflow=lunch', 'agent=waiter', 'step=serve', 'fault=raw', 'held=true'];
  for (const query of [...others, `since=${future}`, `before=${past}`]) {
    expect(await found(query)).toEqual([]);
  }
  expect((await get('/orders?since=yesterday')).status).toBe(400);
  expect((await get('/orders?held=maybe')).status).toBe(400);
});

test.each(['resubmit', 'cancel'] as const)(
  'a %s for another revision changes nothing; for the current one it does',
  async (action) => {
    const { app, submit, get, refuse, reaches } = await scenario();
    refuse(true);
    const id = await orderIdOf(await submit());
    await reaches(id, 'Error');
    const shown = async () => orderSchema.parse(await (await get(`/orders/${id}`)).json());
    const ask = async (ifMatch: string) =>
      app.request(`/orders/${id}/${action}`, { method: 'POST', headers: { 'if-match': ifMatch } });
    const before = await shown();
    const refused = await ask(`"${before.revision - 1}"`);
    expect(refused.status).toBe(412);
    expect(await refused.json()).toMatchObject({ code: 'changed' });
    expect((await ask('7')).status).toBe(400);
    expect(await shown()).toEqual(before);
    expect((await ask(`"${before.revision}"`)).status).toBe(202);
  },
);

test.each([
  ['the JSON type and an empty body', '', { 'content-type': 'application/json' }],
  ['the type with a charset', '', { 'content-type': 'application/json; charset=utf-8' }],
  ['the type and no body', undefined, { 'content-type': 'application/json' }],
  ['nothing', undefined, {}],
] as const)('a resubmit with %s is one without corrections', async (_, sent, headers) => {
  const { app, submit, refuse, reaches } = await scenario();
  refuse(true);
  const id = await orderIdOf(await submit());
  await reaches(id, 'Error');
  refuse(false);
  const request = { method: 'POST', headers, ...(sent !== undefined && { body: sent }) };
  expect((await app.request(`/orders/${id}/resubmit`, request)).status).toBe(202);
  await reaches(id, 'Processed');
});

test('workflows are shown with their steps and policies', async () => {
  const { get } = await scenario();
  expect(await (await get('/workflows')).json()).toMatchObject({
    workflows: [
      {
        name: 'dinner',
        version: 1,
        steps: [{ name: 'cook', agent: 'cook', after: [], undo: 'offered', conditional: false }],
      },
    ],
  });
});

test('the OpenAPI document lists every route', async () => {
  const { get } = await scenario();
  const document = z
    .object({ openapi: z.literal('3.1.0'), paths: z.record(z.string(), z.looseObject({})) })
    .parse(await (await get('/openapi.json')).json());
  const routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path}`),
  );
  expect(routes.toSorted()).toEqual([
    'get /activity',
    'get /agents',
    'get /events',
    'get /healthz',
    'get /openapi.json',
    'get /orders',
    'get /orders/{id}',
    'get /orders/{id}/events',
    'get /principal',
    'get /readyz',
    'get /workflows',
    'post /agents/{name}',
    'post /orders',
    'post /orders/batch',
    'post /orders/{id}/cancel',
    'post /orders/{id}/reprioritise',
    'post /orders/{id}/resubmit',
  ]);
});

describe('resubmit with corrections', () => {
  const stopped = async (world: Scenario): Promise<string> => {
    world.refuse(true);
    const orderId = await orderIdOf(await world.submit());
    await world.reaches(orderId, 'Error');
    world.refuse(false);
    return `/orders/${orderId}`;
  };

  test('continues the order with them, and the history names the fields', async () => {
    const world = await scenario();
    const path = await stopped(world);
    const answer = await world.post(`${path}/resubmit`, { set: { dish: 'stew' } });
    expect(answer.status).toBe(202);
    await world.reaches(path.slice('/orders/'.length), 'Processed');
    expect(await (await world.get(path)).json()).toMatchObject({
      details: { dish: 'stew', guests: 2 },
      steps: { cook: { input: { dish: 'stew' }, output: { plate: 'stew' } } },
      history: expect.arrayContaining([
        { type: 'resubmit', at: expect.any(String), by: 'olga', corrected: ['dish'] },
      ]),
    });
  });

  test.each<readonly [string, unknown, number, string]>([
    ['that do not fit the workflow', { set: { guests: 0 } }, 422, 'correction-refused'],
    ['of what is not there', { set: { 'a.b': 0 } }, 422, 'correction-refused'],
    ['in another form', { set: ['dish'] }, 422, 'body-invalid'],
    ['by another name', { patch: {} }, 422, 'body-invalid'],
  ])('is refused, and the order left alone: corrections %s', async (_, body, status, code) => {
    const world = await scenario();
    const path = await stopped(world);
    const answer = await world.post(`${path}/resubmit`, body);
    expect(answer.status).toBe(status);
    expect(await answer.json()).toMatchObject({ code, errors: [expect.anything()] });
    expect(await (await world.get(path)).json()).toMatchObject({ processState: 'Error' });
  });
});

test('a search by correlation id finds exactly its orders', async () => {
  const { submit, get } = await scenario();
  const seventh = await orderIdOf(await submit({ ...body, correlationId: 'table 7' }));
  await submit({ ...body, correlationId: 'table 70' });
  await submit(body);
  const found = async (query: string) =>
    list.parse(await (await get(`/orders?${query}`)).json()).orders.map(({ orderId }) => orderId);
  expect(await found('correlationId=table+7')).toEqual([seventh]);
  expect(await found('correlationId=table+7&workflow=lunch')).toEqual([]);
  expect(await found('correlationId=table')).toEqual([]);
});

test('a listing has the correlation ids of its orders', async () => {
  const { submit, get } = await scenario();
  await submit({ ...body, correlationId: 'table 7' });
  await submit(body);
  const { orders } = list.parse(await (await get('/orders')).json());
  expect(orders.map(({ correlationId }) => correlationId)).toEqual([null, 'table 7']);
});
