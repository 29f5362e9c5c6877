/** `reeve status`, over answers of the API. */
import { expect, test } from 'vitest';
import { at, problem, scenario } from './scenario.ts';

const instant = (seconds: number) => at(seconds);
const agent = (name: string, more: object = {}) => ({
  ...{ name, inFlight: 3, waiting: 7, held: [] },
  circuit: { state: 'closed', epoch: 0, since: null, probeAt: null },
  ...more,
});
const flow = {
  waiting: 412,
  nudgeSince: null,
  sweepLagMs: 400,
  refused: { high: 0, normal: 0, low: 9 },
  lastRefusedAt: null,
};

test('status shows for each agent its circuit, what it holds and its next probe', async () => {
  const { app, run } = scenario();
  const held = [{ gate: 'circuit', steps: 412, since: instant(-120) }];
  const circuit = { state: 'open', epoch: 3, since: instant(-130), probeAt: instant(5) };
  const agents = [agent('fraud'), agent('payment', { held, circuit })];
  const orders = { Pending: 412, Processing: 3, Error: 0 };
  app.get('/activity', (c) => c.json({ orders, agents, flow }));
  const { exitCode, stdout } = await run('status');
  expect(exitCode).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "AGENT    CIRCUIT  IN FLIGHT  WAITING  HELD           SINCE      NEXT PROBE
    fraud    closed           3        7
    payment  open             3        7  412 (circuit)  2 min ago  in 5 s

    Orders: 412 Pending, 3 Processing, 0 in Error
    Wait: 412 for a Scheduler or an agent
    Refused since the start: 0 high, 0 normal, 9 low
    Supervisor: 0 s behind
    "
  `);
});

test('status says that orders of the last process are not counted yet', async () => {
  const { app, run } = scenario();
  const orders = { Pending: 20, Processing: 70, Error: 150 };
  app.get('/activity', (c) => c.json({ counting: true, orders, agents: [], flow }));
  expect((await run('status')).stdout).toContain(
    'Orders: 20 Pending, 70 Processing, 150 in Error\nSome orders of the last process are not counted yet.\n',
  );
});

test('status shows what waits for any member of a pool', async () => {
  const { app, run } = scenario();
  const held = [
    { gate: 'concurrency', steps: 30, since: instant(-90) },
    { gate: 'circuit', steps: 2, since: instant(-7_200) },
  ];
  const pools = [
    { name: 'payment', waiting: 32, held, members: ['payment-east', 'payment-west'] },
    { name: 'payment-eu', waiting: 0, held: [], members: ['payment-east'] },
  ];
  const agents = [agent('payment-east'), agent('payment-west')];
  const orders = { Pending: 32, Processing: 6, Error: 0 };
  app.get('/activity', (c) => c.json({ orders, agents, pools, flow }));
  const { stdout } = await run('status');
  expect(stdout.split('\n').slice(0, 6).join('\n')).toMatchInlineSnapshot(`
    "AGENT              CIRCUIT  IN FLIGHT  WAITING  HELD                           SINCE    NEXT PROBE
    payment-east       closed           3        7
    payment-west       closed           3        7
    payment (pool)                              32  30 (concurrency), 2 (circuit)  2 h ago
    payment-eu (pool)                            0
    "
  `);
});

test('status shows the endpoints of a service that has several', async () => {
  const { app, run } = scenario();
  const of = { inFlight: 2, ejections: 0, ejectedUntil: null };
  const endpoints = [
    { ...of, url: 'https://eu.example', state: 'healthy', latencyMs: 12.4 },
    {
      ...of,
      url: 'https://us.example',
      state: 'ejected',
      latencyMs: 5_000,
      ejectedUntil: instant(4),
    },
    { ...of, url: 'https://af.example', state: 'failing', latencyMs: null },
  ];
  const agents = [agent('fraud'), agent('tax', { endpoints })];
  app.get('/activity', (c) =>
    c.json({ orders: { Pending: 0, Processing: 0, Error: 0 }, agents, flow }),
  );
  const { stdout } = await run('status');
  expect(stdout.split('\n').slice(4, 9).join('\n')).toMatchInlineSnapshot(`
    "ENDPOINT            AGENT  STATE    IN FLIGHT  LATENCY MS  CALLED AGAIN
    https://eu.example  tax    healthy          2          12
    https://us.example  tax    ejected          2        5000  in 4 s
    https://af.example  tax    failing          2
    "
  `);
});

test('on AWS, where nothing counts the activity, it is refused with the reason', async () => {
  const { app, run } = scenario();
  app.get('/activity', () => problem(404, 'route-unknown'));
  const { exitCode, stderr } = await run('status');
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('route-unknown')]);
});
