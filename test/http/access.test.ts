/** The API of an embedded Reeve allows exactly what the table in docs/access.md says, cell by cell. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { CorruptDataError } from '#core/model/errors.ts';
import type { Access } from '#http/api-ports.ts';
import { orderSchema } from '#http/schemas.ts';
import { namedTokens } from '#runtime/local/named-tokens.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import {
  accessTable,
  cases,
  others,
  ours,
  principals,
  requestOf,
  wordOf,
} from '../support/access-table.ts';
import { testLog } from '../support/log.ts';
import { body, identified, json, orderIdOf, type Scenario, scenario } from './scenario.ts';

const tokenOf = (asker: string) => `token-of-${asker.replaceAll(' ', '-')}`;
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
/** The principals of the table, and an operator of the order's own tenant. */
const owner = { asker: 'owner', role: 'operator', tenant: ours } as const;
const entries = [...principals, owner].flatMap(({ asker, role, tenant }) =>
  role === null
    ? []
    : [
        {
          name: asker.replaceAll(' ', '-'),
          role,
          ...(tenant !== null && { tenant }),
          sha256: sha256(tokenOf(asker)),
        },
      ],
);

let world: Scenario;
let logged: Access[];
let order: string;

const as = (asker: string) => ({ authorization: `Bearer ${tokenOf(asker)}` });
const ask = (asker: string, path: string, init: RequestInit = {}) =>
  world.app.request(path, { ...init, headers: { ...init.headers, ...as(asker) } });
const ofTenant = (tenant?: string) => ({ ...body, ...(tenant !== undefined && { tenant }) });

beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-tokens-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'tokens.json');
  writeFileSync(path, JSON.stringify(entries));
  logged = [];
  const identify = namedTokens({ path, clock: systemClock, log: testLog() });
  world = await scenario((ports) => ({
    ...ports,
    guard: { hosts: null, identify, pages: new Set() },
    accessLog: (access) => logged.push(access),
  }));
  order = await orderIdOf(await world.submit(ofTenant(ours), as('operator')));
  logged = [];
});

test('the table has every route that is served, and no other', () => {
  const served = world.app.routes
    .filter(({ method, path }) => method !== 'ALL' && !path.includes('*'))
    .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/, '{$1}')}`);
  expect(
    accessTable()
      .map(({ route }) => route)
      .toSorted(),
  ).toEqual([...new Set(served)].toSorted());
});

test.each(cases)('$row.route by $asker: $expected', async ({ row, asker, expected }) => {
  const { method, path, body: sent } = requestOf(row, order, body.workflow, body.details);
  const response = await ask(asker, path, {
    method,
    ...(sent !== null && { headers: json, body: sent }),
  });
  expect(wordOf(response.status, expected)).toBe(expected);
  await response.body?.cancel();
});

describe('a principal of one tenant', () => {
  test('lists only its own orders, with every filter', async () => {
    const own = await orderIdOf(await world.submit(body, as('operator of another tenant')));
    const list = async (query: string) => {
      const response = await ask('operator of another tenant', `/orders${query}`);
      const page = z.object({
        orders: z.array(z.object({ orderId: z.string(), tenant: z.string() })),
      });
      return page.parse(await response.json()).orders;
    };
    expect(await list('')).toEqual([expect.objectContaining({ orderId: own, tenant: others })]);
    expect(await list(`?tenant=${others}&limit=1`)).toHaveLength(1);
    const foreign = await ask('operator of another tenant', `/orders?tenant=${ours}`);
    expect(foreign.status).toBe(403);
  });

  test('gets the same answer for an order of another tenant as for an unknown one', async () => {
    const asker = 'operator of another tenant';
    const answers = async (id: string) => {
      const asked = await Promise.all([
        ask(asker, `/orders/${id}`),
        ask(asker, `/orders/${id}`, { headers: { 'if-none-match': '*' } }),
        ask(asker, `/orders/${id}/events`),
        ask(asker, `/orders/${id}/cancel`, { method: 'POST' }),
        ask(asker, `/orders/${id}/cancel`, { method: 'POST', headers: { 'if-match': '"9"' } }),
        ask(asker, `/orders/${id}/resubmit`, {
          method: 'POST',
          headers: json,
          body: JSON.stringify({ set: { dish: 'stew', nothing: 1 } }),
        }),
      ]);
      return Promise.all(
        asked.map(async (response) => [
          response.status,
          Object.fromEntries(response.headers),
          (await response.text()).replaceAll(id, 'ID'),
        ]),
      );
    };
    expect(await answers(order)).toEqual(await answers('01kdvdna0012vzf1k7ypyn20t7'));
  });

  test('gets the same answer where the details of an order of another tenant are damaged', async () => {
    const damaged = await scenario((ports) => ({
      ...ports,
      store: {
        ...ports.store,
        orders: () => Promise.reject(new CorruptDataError('row-corrupt', 'A row is damaged.')),
      },
      guard: {
        hosts: null,
        identify: () => identified({ name: 'eve', role: 'viewer', tenant: 'other' }),
        pages: new Set(),
      },
    }));
    const stored = await damaged.reeve.submission.submit(
      { ...body, priority: 'normal', tenant: ours, replyTo: null, correlationId: null, key: null },
      'olga',
    );
    if (stored.kind !== 'accepted') throw new Error('it was not accepted');
    const ofOther = await damaged.get(`/orders/${stored.orderId}`);
    const ofNone = await damaged.get('/orders/01kdvdna0012vzf1k7ypyn20t7');
    expect(ofOther.status).toBe(404);
    expect(await ofOther.text()).toBe(await ofNone.text());
  });

  test('gets no document by the ETag of another principal', async () => {
    const state = async () => (await ask('owner', `/orders/${order}`)).json();
    await expect.poll(state).toMatchObject({ processState: 'Processed' });
    const tag = async (path: string) => (await ask('owner', path)).headers.get('etag') ?? 'no tag';
    for (const [path, status] of [
      ['/orders', 200],
      [`/orders/${order}`, 404],
    ] as const) {
      const headers = { 'if-none-match': await tag(path) };
      expect((await ask('owner', path, { headers })).status).toBe(304);
      expect((await ask('operator of another tenant', path, { headers })).status).toBe(status);
    }
  });

  test('submits for its tenant, and may use a key that another tenant has used', async () => {
    const key = { 'idempotency-key': 'cart-1' };
    const [mine, theirs] = await Promise.all(
      ['operator of another tenant', 'owner'].map(async (asker) =>
        orderIdOf(await world.submit(body, { ...key, ...as(asker) })),
      ),
    );
    expect(mine).not.toBe(theirs);
    const shown = await ask('operator', `/orders/${mine}`);
    expect(orderSchema.parse(await shown.json()).tenant).toBe(others);
  });

  test('follows only its own orders, also while others follow theirs', async () => {
    const follow = async (asker: string) => {
      const response = await ask(asker, '/events');
      return response.body?.pipeThrough(new TextDecoderStream()).getReader();
    };
    const theirs = await follow('operator of another tenant');
    const mine = await follow('owner');
    const all = await follow('operator');
    const first = await orderIdOf(await world.submit(ofTenant(ours), as('operator')));
    const second = await orderIdOf(await world.submit(body, as('operator of another tenant')));
    const textUntil = async (reader: typeof all, ...ids: readonly string[]) => {
      let text = '';
      while (!ids.every((id) => text.includes(id))) text += (await reader?.read())?.value ?? '';
      return text;
    };
    expect(await textUntil(theirs, second)).not.toContain(first);
    expect(await textUntil(mine, first)).not.toContain(second);
    await textUntil(all, first, second);
    for (const reader of [theirs, mine, all]) await reader?.cancel();
  });
});

test('the history names the principals that submitted, resubmitted and cancelled', async () => {
  world.refuse(true);
  const id = await orderIdOf(await world.submit(body, as('submitter')));
  await expect
    .poll(async () => (await world.get(`/orders/${id}`, as('viewer'))).json())
    .toMatchObject({ processState: 'Error' });
  world.refuse(false);
  const release = world.hold();
  await ask('operator', `/orders/${id}/resubmit`, { method: 'POST' });
  await ask('operator', `/orders/${id}/cancel`, { method: 'POST' });
  release();
  const { history } = orderSchema.parse(await (await ask('viewer', `/orders/${id}`)).json());
  const named = history.filter(({ type }) => ['submit', 'resubmit', 'cancel'].includes(type));
  expect(named.map(({ type, by }) => [type, by])).toEqual([
    ['submit', 'submitter'],
    ['resubmit', 'operator'],
    ['cancel', 'operator'],
  ]);
});

test('the access log has the beginning of a path that is longer than any route', async () => {
  await ask('viewer', `/${'x'.repeat(1_000)}`, { method: 'POST' });
  expect(logged.map(({ path }) => path)).toEqual([`/${'x'.repeat(199)}`]);
});

test('the access log has changing and refused requests with their principals, without queries', async () => {
  await ask('viewer', '/orders?correlationId=ada%40example.com');
  await ask('viewer', `/orders/${order}/cancel`, { method: 'POST' });
  await ask('nobody', '/orders?correlationId=ada%40example.com');
  await ask('owner', '/activity');
  const id = await orderIdOf(await world.submit(body, as('owner')));
  expect(logged).toEqual([
    {
      method: 'POST',
      path: `/orders/${order}/cancel`,
      principal: 'viewer',
      tenant: null,
      status: 403,
      submitted: null,
    },
    { method: 'GET', path: '/orders', principal: null, tenant: null, status: 401, submitted: null },
    {
      ...{ method: 'GET', path: '/activity', principal: 'owner', tenant: ours, status: 403 },
      submitted: null,
    },
    {
      method: 'POST',
      path: '/orders',
      principal: 'owner',
      tenant: ours,
      status: 202,
      submitted: id,
    },
  ]);
});
