/** `reeve limits explain`, over answers of the API. */
import { expect, test } from 'vitest';
import { at, order, scenario, step } from './scenario.ts';

const hold = (agent: string, gate: string, seconds: number) => ({
  ...{ step: 'charge', agent, gate, since: at(seconds), until: at(900) },
});
const limit = (name: string, byKey: boolean, count: number) => {
  const amount = { rate: { count, per: 1_000, burst: 1 }, atOnce: null };
  return { name, byKey, ...amount, defined: amount, changed: null };
};
const member = { pool: 'pay', domain: 'east', weight: 1, changed: null };
const agents = {
  agents: [
    {
      ...{ name: 'pay-east', state: 'active', drained: null, member },
      ...{ circuit: { state: 'closed', since: null }, inFlight: 0, room: 1, waiting: 3 },
    },
  ],
  pools: [],
  limits: [
    limit('pay/whole', false, 50),
    limit('pay-east/per-tenant', true, 5),
    limit('mail/whole', false, 1),
  ],
};

/** An order with these steps, and others that wait for `pay-east`, so many seconds long. */
function world(
  steps: object,
  waiting: readonly { seconds: number; priority?: string }[],
  own: object = {},
) {
  const { app, run, requests } = scenario();
  const others = waiting.map(({ seconds, priority = 'normal' }, at) =>
    order({ orderId: `o-${at}`, priority, held: [hold('pay-east', 'limit', -seconds)] }),
  );
  app.get('/agents', (c) => c.json(agents));
  app.get('/orders/:id', (c) => c.json(order({ orderId: 'o-own', tenant: 'acme', steps, ...own })));
  app.get('/orders', (c) => {
    const isTenant = c.req.query('tenant') === 'acme';
    const isPending = c.req.query('state') === 'Pending';
    const found = isTenant ? others.slice(0, 1) : others;
    return c.json({ orders: isPending ? found : [], cursor: null, asOf: at(0) });
  });
  return { run, requests };
}

const held = (agent: string, gate: string, seconds: number) =>
  step('Held', { agent, held: { gate, since: at(-seconds), until: at(900) } });

test('an order that waits for a limit is explained by the limits, and by those that have waited for longer', async () => {
  const { run } = world({ charge: held('pay-east', 'limit', 40) }, [
    { seconds: 90 },
    { seconds: 60, priority: 'high' },
    { seconds: 10 },
  ]);
  const { exitCode, stdout } = await run('limits explain o-own');
  expect(exitCode).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "Order o-own  ○ Pending
      charge waits for pay-east: one of its limits has no room for the call, since 40 s ago.
      2 other orders have waited for it for longer: 1 with priority normal, 1 of tenant acme.

    LIMIT                FOR        RATE  AT ONCE  CHANGED
    pay/whole            all calls  50/s
    pay-east/per-tenant  each key   5/s
    "
  `);
});

test('an order that waits for no limit is explained by its circuit, without limits', async () => {
  const { run, requests } = world({ charge: held('pay-east', 'circuit', 40) }, []);
  expect((await run('limits explain o-own')).stdout).toMatchInlineSnapshot(`
    "Order o-own  ○ Pending
      charge waits for pay-east: its circuit breaker is open, since 40 s ago.
      No other order has waited for it for longer.
    "
  `);
  expect(requests.filter(({ url }) => url.endsWith('/agents'))).toEqual([]);
});

test('an order that waits for its turn is in no list of an agent', async () => {
  const { run, requests } = world({ charge: held('pay-east', 'turn', 40) }, []);
  expect((await run('limits explain o-own')).stdout).toMatchInlineSnapshot(`
    "Order o-own  ○ Pending
      charge waits for earlier orders of its singleton key, since 40 s ago.
    "
  `);
  expect(requests).toHaveLength(1);
});

test('an order without a held step waits for nothing of these', async () => {
  const { run } = world({ charge: step('Running', { agent: 'pay-east' }) }, []);
  expect((await run('limits explain o-own')).stdout).toMatchInlineSnapshot(`
    "Order o-own  ○ Pending
      No step of it waits for a limit, an agent or an order.
    "
  `);
});

test('with --json, the explanation is a document', async () => {
  const { run } = world({ charge: held('pay-east', 'limit', 40) }, [{ seconds: 90 }]);
  expect(JSON.parse((await run('limits explain o-own --json')).stdout)).toEqual({
    orderId: 'o-own',
    waits: [
      {
        ...{ step: 'charge', agent: 'pay-east', gate: 'limit', since: at(-40) },
        limits: ['pay/whole', 'pay-east/per-tenant'],
        ahead: { orders: 1, samePriority: 1, sameTenant: 1 },
      },
    ],
  });
});

test('an order that waits for an instant is explained by it, and by the doubt that its undo waits for', async () => {
  const steps = { charge: step('Failed', { inDoubt: true }) };
  const { run } = world(steps, [], { direction: 'undo', notBefore: at(480) });
  expect((await run('limits explain o-own')).stdout).toMatchInlineSnapshot(`
    "Order o-own  ○ Pending
      No step of it waits for a limit, an agent or an order.
      It continues in 8 min: until then, a call of charge may be at work, whose effect is then undone.
    "
  `);
});
