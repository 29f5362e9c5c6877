import { expect, test } from 'vitest';
import { at, nobodyThere, scenario } from './scenario.ts';

const healthy = { latencyMs: 0, transientRate: 0, hangRate: 0, declineRate: 0, down: false };
const faults = {
  fraud: healthy,
  payment: { ...healthy, latencyMs: 1_200, hangRate: 0.25, down: true },
};

test('suppliers prints the faults of every service', async () => {
  const { app, run, requests } = scenario();
  app.get('/faults', (c) => c.json(faults));
  const { exitCode, stdout } = await run('suppliers');
  expect(exitCode).toBe(0);
  expect(requests[0]?.url).toBe('http://127.0.0.1:4401/faults');
  expect(stdout).toMatchInlineSnapshot(`
    "SERVICE  latencyMs  transientRate  hangRate  declineRate  down
    fraud            0              0         0            0  false
    payment       1200              0      0.25            0  true
    "
  `);
});

test('suppliers --json prints the document', async () => {
  const { app, run } = scenario();
  app.get('/faults', (c) => c.json(faults));
  expect((await run('suppliers --json')).stdout).toBe(`${JSON.stringify(faults)}\n`);
});

test('suppliers set sends exactly what was named', async () => {
  const { app, run, requests } = scenario();
  app.put('/faults/payment', (c) => c.json(faults.payment));
  const { exitCode, stdout } = await run(
    'suppliers set payment latencyMs=1200 hangRate=0.25 down=true declineRate=0',
  );
  expect(exitCode).toBe(0);
  expect(requests[0]?.body).toBe('{"latencyMs":1200,"hangRate":0.25,"down":true,"declineRate":0}');
  expect(stdout.split('\n')[1]).toMatch(/^payment +1200 +0 +0.25 +0 +true$/);
});

test('suppliers set and reset with --json print what the suppliers answered', async () => {
  const { app, run } = scenario();
  app.put('/faults/payment', (c) => c.json(faults.payment));
  app.delete('/faults', (c) => c.json({ fraud: healthy }));
  const set = await run('suppliers set payment down=true --json');
  expect(set.stdout).toBe(`${JSON.stringify(faults.payment)}\n`);
  const reset = await run('suppliers reset --json');
  expect(reset.stdout).toBe(`${JSON.stringify({ fraud: healthy })}\n`);
});

test('suppliers reset prints the healthy services', async () => {
  const { app, run } = scenario();
  app.delete('/faults', (c) => c.json({ fraud: healthy }));
  const { exitCode, stdout } = await run('suppliers reset');
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/fraud +0 +0 +0 +0 +false/);
});

test.each([
  ...['latencyms=1', 'latencyMs', 'latencyMs=', 'latencyMs=soon', 'latencyMs=-1'],
  ...['down=1', 'constructor=1'],
])('the setting %s is wrong usage', async (pair) => {
  const { run, requests } = scenario();
  const { exitCode, stderr } = await run(`suppliers set payment hangRate=1 ${pair}`);
  expect(exitCode).toBe(2);
  expect(stderr).toContain(pair);
  expect(requests).toEqual([]);
});

test('a setting that the suppliers refuse exits 3 with their message', async () => {
  const { app, run } = scenario();
  app.put('/faults/payment', (c) =>
    c.json({ code: 'bad-request', message: 'hangRate: too big' }, 400),
  );
  expect(await run('suppliers set payment hangRate=7')).toEqual({
    exitCode: 3,
    stdout: '',
    stderr: 'error: hangRate: too big\n  code: bad-request\n',
  });
});

const entry = {
  service: 'payment',
  key: 'o-1/charge',
  orderId: 'o-1',
  state: 'applied',
  calls: 12,
  effects: 1,
  at: at(-60),
};

test('suppliers ledger prints what was done, of one order if it is named', async () => {
  const { app, run, requests } = scenario();
  app.get('/ledger', (c) => c.json({ entries: [entry, { ...entry, orderId: null }] }));
  const { stdout } = await run('suppliers ledger o&1');
  expect(requests[0]?.url).toBe('http://127.0.0.1:4401/ledger?orderId=o%261');
  expect(stdout).toMatchInlineSnapshot(`
    "ORDER  SERVICE  STATE    CALLS  EFFECTS  AT        KEY
    o-1    payment  applied     12        1  60 s ago  o-1/charge
    –      payment  applied     12        1  60 s ago  o-1/charge
    "
  `);
  await run('suppliers ledger');
  expect(requests[1]?.url).toBe('http://127.0.0.1:4401/ledger');
});

test('suppliers ledger --json prints the document; an empty one says so in text', async () => {
  const { app, run } = scenario();
  app.get('/ledger', (c) => c.json({ entries: [] }));
  expect((await run('suppliers ledger --json')).stdout).toBe('{"entries":[]}\n');
  expect((await run('suppliers ledger')).stdout).toBe('No entries.\n');
});

test.each([
  ['suppliers reset --suppliers-url http://s:1/sim/', {}, 'http://s:1/sim/faults'],
  ['suppliers --suppliers-url http://s:1 reset', {}, 'http://s:1/faults'],
  ['suppliers reset', { REEVE_SUPPLIERS_URL: 'http://env:2' }, 'http://env:2/faults'],
  [
    'suppliers reset --suppliers-url http://s:1',
    { REEVE_SUPPLIERS_URL: 'http://env:2' },
    'http://s:1/faults',
  ],
])('%s with the environment %j calls %s', async (line, env, url) => {
  const { app, run, requests } = scenario({ env });
  app.delete('*', (c) => c.json({ fraud: healthy }));
  expect((await run(line)).exitCode).toBe(0);
  expect(requests[0]?.url).toBe(url);
});

test("Reeve's token is not shown to the suppliers", async () => {
  const { app, run, requests } = scenario({ env: { REEVE_TOKEN: 'secret' } });
  app.get('/faults', (c) => c.json(faults));
  await run('suppliers');
  expect(requests[0]?.headers.has('authorization')).toBe(false);
});

test('unreachable suppliers exit 4', async () => {
  const { run } = scenario({ fetch: nobodyThere });
  const { exitCode, stderr } = await run('suppliers');
  expect(exitCode).toBe(4);
  expect(stderr).toContain('The suppliers cannot be reached at http://127.0.0.1:4401');
});
