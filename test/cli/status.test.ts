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

test('on AWS, where nothing counts the activity, it is refused with the reason', async () => {
  const { app, run } = scenario();
  app.get('/activity', () => problem(404, 'route-unknown'));
  const { exitCode, stderr } = await run('status');
  expect([exitCode, stderr]).toEqual([3, expect.stringContaining('route-unknown')]);
});
