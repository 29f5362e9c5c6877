/** `reeve limits`, over answers of the API. */
import { expect, test } from 'vitest';
import { at, scenario } from './scenario.ts';

const rate = (count: number, per: number, burst = 1) => ({ rate: { count, per, burst } });
const whole = {
  ...{ name: 'payment/whole', byKey: false, ...rate(100, 1_000, 5), atOnce: null, changed: null },
  defined: { ...rate(100, 1_000, 5), atOnce: null },
};
const perTenant = {
  ...{ name: 'payment/per-tenant', byKey: true, ...rate(2, 10_000), atOnce: 3 },
  ...{ changed: { by: 'olga', at: at(-60) }, defined: { ...rate(5, 60_000), atOnce: 3 } },
};
const document = (limits: readonly object[]) => ({ agents: [], pools: [], limits });

test('limits are listed with how much they allow, and who changed them', async () => {
  const { app, run } = scenario();
  app.get('/agents', (c) => c.json(document([whole, perTenant])));
  const { exitCode, stdout } = await run('limits');
  expect(exitCode).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "LIMIT               FOR        RATE            AT ONCE  CHANGED
    payment/whole       all calls  100/s, burst 5
    payment/per-tenant  each key   2/10s                 3  by olga 60 s ago; defined: 5/min, 3 at once
    "
  `);
});

test('without limits, the list says so', async () => {
  const { app, run } = scenario();
  app.get('/agents', (c) => c.json(document([])));
  expect((await run('limits')).stdout).toBe('No agent has limits.\n');
});

test.each([
  ['set payment/per-tenant --rate 5/s', { rate: { count: 5, per: 1_000 } }],
  [
    'set payment/per-tenant --rate 100/min --burst 4',
    { rate: { count: 100, per: 60_000, burst: 4 } },
  ],
  [
    'set payment/per-tenant --rate 2/10s --at-once 7',
    { rate: { count: 2, per: 10_000 }, atOnce: 7 },
  ],
  ['reset payment/per-tenant', {}],
])('limits %s is one request', async (args, amount) => {
  const { app, run } = scenario();
  const bodies: unknown[] = [];
  app.post('/agents/:name', async (c) => {
    bodies.push([c.req.param('name'), await c.req.json()]);
    return c.json(perTenant);
  });
  const { exitCode, stdout } = await run(`limits ${args}`);
  expect(bodies).toEqual([['payment', { limit: { name: 'per-tenant', ...amount } }]]);
  expect([exitCode, stdout]).toEqual([
    0,
    'Limit payment/per-tenant  2/10s, 3 at once  by olga 60 s ago; defined: 5/min, 3 at once\n',
  ]);
});

test.each([
  'limits set payment/whole',
  'limits set payment/whole --burst 4',
  'limits set payment/whole --at-once 3 --burst 4',
  'limits set payment/whole --rate 5',
  'limits set payment/whole --at-once 0',
  'limits set payment --at-once 3',
  'limits reset payment/',
])('reeve %s is refused before a request', async (args) => {
  const { run, requests } = scenario();
  expect((await run(args)).exitCode).toBe(2);
  expect(requests).toEqual([]);
});
