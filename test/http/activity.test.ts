/** The activity route, and documents that are not sent twice. */
import assert from 'node:assert';
import { expect, test } from 'vitest';
import { activitySchema } from '#http/activity-schemas.ts';
import { api } from '#http/api.ts';
import { listSchema } from '#http/schemas.ts';
import { body, orderIdOf, scenario } from './scenario.ts';

test('the activity matches its description', async () => {
  const world = await scenario();
  const id = await orderIdOf(await world.submit());
  await world.reaches(id, 'Processed');
  world.refuse(true);
  const refused = await orderIdOf(await world.submit());
  await world.reaches(refused, 'Error');
  const document: unknown = await (await world.get('/activity')).json();
  const activity = activitySchema.parse(document);
  expect(activity).toEqual(document);
  expect(activity.orders).toEqual({ Pending: 0, Processing: 0, Error: 1 });
  expect(activity.agents).toMatchObject([
    {
      name: 'cook',
      succeeded: 1,
      failed: 1,
      successRate: 0.5,
      held: [],
      circuit: { state: 'closed' },
    },
  ]);
});

test('an endpoint that is ejected is shown with when it is called again', async () => {
  const of = { inFlight: 0, latencyMs: 5 };
  const { get, submit } = await scenario((ports) => ({
    ...ports,
    activity() {
      const { agents, ...rest } = ports.activity?.() ?? assert.fail('it counts');
      const until = Date.UTC(2026, 0, 1);
      const endpoints = [
        { ...of, url: 'north', state: 'ejected', ejection: { url: 'north', until, count: 3 } },
        { ...of, url: 'south', state: 'failing', ejection: null },
      ] as const;
      return { ...rest, agents: agents.map((agent) => ({ ...agent, endpoints })) };
    },
  }));
  await submit();
  const { agents } = activitySchema.parse(await (await get('/activity')).json());
  expect(agents[0]?.endpoints).toEqual([
    {
      ...{ ...of, url: 'north', state: 'ejected' },
      ...{ ejectedUntil: '2026-01-01T00:00:00.000Z', ejections: 3 },
    },
    { ...of, url: 'south', state: 'failing', ejectedUntil: null, ejections: 0 },
  ]);
});

test('a call that timed out is no success', async () => {
  const { get } = await scenario((ports) => ({
    ...ports,
    activity() {
      const { agents, ...rest } = ports.activity();
      const counts = { succeeded: 3, failed: 1, timedOut: 2 };
      return { ...rest, agents: agents.map((agent) => ({ ...agent, ...counts })) };
    },
  }));
  const { agents } = activitySchema.parse(await (await get('/activity')).json());
  expect(agents).toMatchObject([{ successRate: 0.5 }]);
});

test('a server without activity counts has no such route', async () => {
  const { get } = await scenario(undefined, api);
  expect((await get('/activity')).status).toBe(404);
});

test.each(['/orders', '/orders/ID', '/workflows', '/activity'])(
  '%s is sent again only after a change',
  async (path) => {
    const world = await scenario((ports) => ({ ...ports, lastSweepAt: () => 0 }));
    const id = await orderIdOf(await world.submit());
    await world.reaches(id, 'Processed');
    const get = (tag: string) => world.get(path.replace('ID', id), { 'if-none-match': tag });
    const first = await get('"none"');
    expect(first.status).toBe(200);
    const again = await get(first.headers.get('etag') ?? '');
    expect([again.status, await again.text()]).toEqual([304, '']);
    expect((await get('"another"')).status).toBe(200);
  },
);

test('a submission has no ETag: its answer is never one that the caller has', async () => {
  const world = await scenario();
  for (const response of [
    await world.submit(body, { 'if-none-match': '*' }),
    await world.post('/orders/batch', { orders: [body] }),
  ]) {
    expect(response.ok).toBe(true);
    expect(response.headers.get('etag')).toBeNull();
  }
});

test('a listing has another ETag as soon as one of its orders changes', async () => {
  const world = await scenario();
  world.refuse(true);
  const id = await orderIdOf(await world.submit());
  await world.reaches(id, 'Error');
  const tag = (await world.get('/orders')).headers.get('etag') ?? '';
  await world.post(`/orders/${id}/cancel`);
  expect((await world.get('/orders', { 'if-none-match': tag })).status).toBe(200);
});

test('orders of one tenant can be listed', async () => {
  const world = await scenario();
  const details = { dish: 'soup', guests: 2 };
  const ids = [];
  for (const tenant of ['north', 'south', 'north']) {
    ids.push(await orderIdOf(await world.submit({ workflow: 'dinner', details, tenant })));
  }
  const listed = async (tenant: string) =>
    listSchema.parse(await (await world.get(`/orders?tenant=${tenant}`)).json()).orders;
  expect((await listed('north')).map(({ orderId }) => orderId)).toEqual([ids[2], ids[0]]);
  expect(await listed('west')).toEqual([]);
});
