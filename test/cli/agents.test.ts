/** `reeve agents`, over answers of the API. */
import { expect, test } from 'vitest';
import { at, problem, scenario } from './scenario.ts';

const known = { inFlight: 0, room: 16, waiting: 0 };
const healthy = { state: 'healthy', drained: null, circuit: { state: 'closed', since: null } };
const member = (domain: string, weight: number) => ({
  ...{ pool: 'pay', domain, weight, changed: null },
});
const agents = [
  { name: 'fraud', ...healthy, ...known, member: null, inFlight: 3 },
  {
    ...{ name: 'pay-east', ...healthy, ...known, state: 'draining' },
    drained: { by: 'olga', at: at(-120) },
    member: { ...member('bank', 3), changed: { by: 'olga', at: at(-60) } },
    ...{ inFlight: 2, room: 14, waiting: 1 },
  },
  {
    ...{ name: 'pay-rival', ...known, member: member('rival', 1), drained: null },
    ...{ state: 'circuit-open', circuit: { state: 'open', since: at(-30) }, waiting: 41 },
  },
];
const pools = [{ name: 'pay', members: ['pay-east', 'pay-rival'], heldBack: false, waiting: 12 }];

test('agents are listed by member, with what is known of them', async () => {
  const { app, run } = scenario();
  app.get('/agents', (c) => c.json({ agents, pools, limits: [] }));
  const { exitCode, stdout } = await run('agents');
  expect(exitCode).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "AGENT       POOL  DOMAIN  WEIGHT    IN FLIGHT  ROOM  WAITING  STATE
    fraud                                       3    16        0  healthy
    pay-east    pay   bank    3 (olga)          2    14        1  draining by olga 2 min ago
    pay-rival   pay   rival   1                 0    16       41  circuit open since 30 s ago
    pay (pool)                                                12
    "
  `);
});

test('what is not known is left out, and a pool without a member that takes calls says so', async () => {
  const { app, run } = scenario();
  const unknown = { inFlight: null, room: null };
  const shown = agents.map((agent) => ({ ...agent, ...unknown }));
  const heldBack = pools.map((pool) => ({ ...pool, heldBack: true }));
  app.get('/agents', (c) => c.json({ agents: shown, pools: heldBack, limits: [] }));
  const { stdout } = await run('agents');
  expect(stdout).toMatchInlineSnapshot(`
    "AGENT       POOL  DOMAIN  WEIGHT    IN FLIGHT  ROOM  WAITING  STATE
    fraud                                                      0  healthy
    pay-east    pay   bank    3 (olga)                         1  draining by olga 2 min ago
    pay-rival   pay   rival   1                               41  circuit open since 30 s ago
    pay (pool)                                                12  no member takes new calls
    "
  `);
});

test('with --json, the document of the API is printed', async () => {
  const { app, run } = scenario();
  app.get('/agents', (c) => c.json({ agents, pools, limits: [] }));
  const { stdout } = await run('agents --json');
  expect(JSON.parse(stdout)).toEqual({ agents, pools, limits: [] });
});

test.each([
  ['drain pay-east', '/agents/pay-east', '{"drained":true}'],
  ['resume pay-east', '/agents/pay-east', '{"drained":false}'],
  ['weight pay-east 7', '/agents/pay-east', '{"weight":7}'],
  ['weight pay-east default', '/agents/pay-east', '{"weight":null}'],
])('agents %s is one request', async (args, path, body) => {
  const { app, run, requests } = scenario();
  app.post('/agents/:name', (c) => c.json(agents[1]));
  const { exitCode, stdout } = await run(`agents ${args}`);
  expect(exitCode).toBe(0);
  expect(stdout).toBe('Agent pay-east  draining by olga 2 min ago, weight 3 (olga)\n');
  expect(
    requests.map(({ method, url, body: sent }) => [method, new URL(url).pathname, sent]),
  ).toEqual([['POST', path, body]]);
});

test.each(['101', '07', '1.5', 'much'])(
  'a weight of %j is refused before a request',
  async (weight) => {
    const { run, requests } = scenario();
    const { exitCode, stderr } = await run(`agents weight pay-east ${weight}`);
    expect([exitCode, requests]).toEqual([2, []]);
    expect(stderr).toContain('whole number from 0 to 100');
  },
);

test('an unknown agent is refused with the reason of the API', async () => {
  const { app, run } = scenario();
  app.post('/agents/:name', () => problem(404, 'agent-unknown'));
  const { exitCode, stderr } = await run('agents drain nobody');
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('agent-unknown')]);
});

test('status says which agents are drained', async () => {
  const { app, run } = scenario();
  const activity = {
    inFlight: 0,
    waiting: 2,
    held: [{ gate: 'drained', steps: 2, since: at(-60) }],
  };
  const circuit = { state: 'closed', epoch: 0, since: null, probeAt: null };
  const flow = {
    waiting: 2,
    nudgeSince: null,
    sweepLagMs: 0,
    refused: { high: 0, normal: 0, low: 0 },
  };
  app.get('/activity', (c) =>
    c.json({
      orders: { Pending: 2, Processing: 0, Error: 0 },
      agents: [{ name: 'print', ...activity, circuit, drained: { by: 'olga', at: at(-60) } }],
      flow,
    }),
  );
  const { stdout } = await run('status');
  expect(stdout.split('\n')[1]).toBe(
    'print  closed, drained          0        2  2 (drained)  60 s ago',
  );
});
