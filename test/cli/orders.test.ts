import { expect, onTestFinished, test, vi } from 'vitest';
import { at, declined, nobodyThere, order, problem, scenario } from './scenario.ts';

const page = {
  orders: [
    order({ orderId: 'o-2', updatedAt: at(-1) }),
    order({
      orderId: 'o-11',
      processState: 'Undone',
      direction: 'undo',
      fault: { ...declined, step: 'charge', action: 'perform' },
    }),
  ],
  cursor: null,
};

test('list prints a table', async () => {
  const { app, run } = scenario();
  app.get('/orders', (c) => c.json(page));
  const { exitCode, stdout } = await run('list');
  expect(exitCode).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "ORDER  STATE      DIRECTION  WORKFLOW          SUBMITTED  UPDATED  FAULT
    o-2    ○ Pending  forward    order-fulfilment  2 s ago    1 s ago
    o-11   ↶ Undone   undo       order-fulfilment  2 s ago    2 s ago  declined
    "
  `);
});

test('list --held shows for which agents the orders wait, why and since when', async () => {
  const { app, run } = scenario();
  const hold = (agent: string, gate: string, seconds: number) => ({
    ...{ step: 'charge', agent, gate, since: at(seconds), until: at(900) },
  });
  const held = [
    hold('payment', 'circuit', -60),
    hold('payment', 'circuit', -120),
    hold('packing', 'concurrency', -5),
  ];
  // An older Reeve sends no `held`.
  const orders = [order({ orderId: 'o-2', held }), order({ orderId: 'o-11' })];
  app.get('/orders', (c) => c.json({ orders, cursor: null }));
  expect((await run('list --held')).stdout).toMatchInlineSnapshot(`
    "ORDER  STATE      DIRECTION  WORKFLOW          SUBMITTED  UPDATED  WAITS FOR                                 SINCE      FAULT
    o-2    ○ Pending  forward    order-fulfilment  2 s ago    2 s ago  payment (circuit), packing (concurrency)  2 min ago
    o-11   ○ Pending  forward    order-fulfilment  2 s ago    2 s ago
    "
  `);
  expect((await run('list')).stdout).not.toContain('payment');
});

test('list passes its options on, and prints the command for the next page', async () => {
  const { app, run, requests } = scenario();
  app.get('/orders', (c) => c.json({ ...page, cursor: "9 'x'" }));
  const { stdout } = await run(
    'list --state Undone --held --tenant north --limit 2 --cursor c&d --url http://reeve:1/',
  );
  expect(requests[0]?.url).toBe(
    'http://reeve:1/orders?state=Undone&tenant=north&held=true&limit=2&cursor=c%26d',
  );
  expect(stdout).toContain(
    `more: reeve list --url http://reeve:1/ --state Undone --tenant north --held --limit 2 --cursor '9 '\\''x'\\'''\n`,
  );
});

test.each([
  ['list', 'list'],
  ['cancel', 'cancel --workflow dinner'],
])('%s quotes each word of the command that it proposes', async (_, line) => {
  const { app, run, requests } = scenario();
  const listed = order({ actions: { resubmit: null, cancel: null, reprioritise: null } });
  app.get('*', (c) =>
    c.json({ orders: [listed], cursor: line === 'list' ? 'x' : null, asOf: at(0) }),
  );
  const { stdout } = await run(`${line} --tenant a&b;c --url http://reeve:1/v1/$(id)`);
  expect(requests[0]?.url).toContain('http://reeve:1/v1/');
  expect(stdout).toContain(`reeve ${line.split(' ')[0]} --url 'http://reeve:1/v1/$(id)' `);
  expect(stdout).toContain(`--tenant 'a&b;c'`);
});

test('list finds orders by their correlation id, and proposes the next page with it', async () => {
  const { app, run, requests } = scenario();
  app.get('/orders', (c) => c.json({ ...page, cursor: '9' }));
  const { stdout } = await run('list --correlation-id cart-4711');
  expect(requests[0]?.url).toBe('http://127.0.0.1:4400/orders?correlationId=cart-4711');
  expect(stdout).toContain('more: reeve list --correlation-id cart-4711 --cursor 9\n');
});

test('list --json prints the page', async () => {
  const { app, run } = scenario();
  app.get('/orders', (c) => c.json(page));
  expect((await run('list --json')).stdout).toBe(`${JSON.stringify(page)}\n`);
});

test.each([
  ['list --state error', 'state=Error'],
  ['list --state PROCESSED', 'state=Processed'],
  ['list --step charge --fault declined', 'step=charge&fault=declined'],
])('%s asks for %s', async (line, query) => {
  const { app, run, requests } = scenario();
  app.get('/orders', (c) => c.json(page));
  expect((await run(line)).exitCode).toBe(0);
  expect(requests[0]?.url).toBe(`http://127.0.0.1:4400/orders?${query}`);
});

test('an empty list says so', async () => {
  const { app, run } = scenario();
  app.get('/orders', (c) => c.json({ orders: [], cursor: null }));
  expect((await run('list')).stdout).toBe('No orders.\n');
});

test('an empty page of a list says so, and how to go on', async () => {
  const { app, run } = scenario();
  app.get('/orders', (c) => c.json({ orders: [], cursor: '7' }));
  const { stdout } = await run('list --state Processed');
  expect(stdout).toMatch(/^No orders on this page\.\n\nmore: reeve list .*--cursor 7\n$/);
});

test.each(['resubmit', 'cancel'])('%s posts to the order and prints its state', async (action) => {
  const { app, run, requests } = scenario();
  const accepted = { orderId: 'o-1', processState: 'Pending' };
  app.post(`/orders/o-1/${action}`, (c) => c.json(accepted, 202));
  expect(await run(`${action} o-1`)).toEqual({
    exitCode: 0,
    stdout: 'Order o-1  ○ Pending\n',
    stderr: '',
  });
  expect((await run(`${action} o-1 --json`)).stdout).toBe(`${JSON.stringify(accepted)}\n`);
  expect(requests[0]?.body).toBe('');
});

test('resubmit sends what --set corrects: a text after =, JSON after :=', async () => {
  const { app, run, requests } = scenario();
  app.post('/orders/o-1/resubmit', (c) => c.json({ orderId: 'o-1', processState: 'Pending' }, 202));
  const { exitCode } = await run('resubmit o-1 --set payment.token=a=b --set lines.0.quantity:=3');
  expect(exitCode).toBe(0);
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
    set: { 'payment.token': 'a=b', 'lines.0.quantity': 3 },
  });
});

test.each([
  ['resubmit o-1 --set payment', 'It must be field=text, or field:=JSON.'],
  ['resubmit o-1 --set a:=tok', 'The value after := must be JSON; use = for a text.'],
  [
    'resubmit o-1 --set a:=[1,{"id":12345678901234567890}]',
    'The number 12345678901234567890 would be rounded; use = for a text, or fewer digits.',
  ],
  ['resubmit o-1 --set a=1 --set a=2', 'a is set twice.'],
  ['resubmit --state Error --set a=1', '--set corrects one order: give its id.'],
])('%s is no correction', async (line, message) => {
  const { run, requests } = scenario();
  const { exitCode, stderr } = await run(line);
  expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] });
  expect(stderr).toContain(message);
});

test('a problem is printed on stderr, with exit code 3', async () => {
  const { app, run } = scenario();
  app.post('/orders/o-1/cancel', () =>
    problem(409, 'ended', { errors: [{ field: 'details.lines.0', message: 'too many' }] }),
  );
  const { exitCode, stdout, stderr } = await run('cancel o-1');
  expect({ exitCode, stdout }).toEqual({ exitCode: 3, stdout: '' });
  expect(stderr.split('\n')).toEqual([
    'error: It is refused',
    '  There is a reason.',
    '  details.lines.0: too many',
    '  code: ended',
    '',
  ]);
});

test('a detail that only repeats the fields is left out', async () => {
  const { app, run } = scenario();
  app.post('/orders/o-1/cancel', () =>
    problem(422, 'body-invalid', { detail: '`a` b.', errors: [{ field: 'a', message: 'b' }] }),
  );
  const { stderr } = await run('cancel o-1');
  expect(stderr).toBe('error: It is refused\n  a: b\n  code: body-invalid\n');
});

test('a 5xx problem exits 4', async () => {
  const { app, run } = scenario();
  app.get('/orders', () => problem(503, 'unavailable'));
  const { exitCode, stderr } = await run('list');
  expect(exitCode).toBe(4);
  expect(stderr).toContain('code: unavailable');
});

test('a refusal without an explanation is reported by its status', async () => {
  const { app, run } = scenario();
  app.get('/orders', (c) => c.html('<h1>no</h1>', 403));
  const { exitCode, stderr } = await run('list');
  expect(exitCode).toBe(3);
  expect(stderr).toContain('status 403');
});

test('an unreachable address exits 4 and says what to do', async () => {
  const { run } = scenario({ fetch: nobodyThere });
  expect(await run('list --url http://127.0.0.1:4400/')).toEqual({
    exitCode: 4,
    stdout: '',
    stderr: `error: Reeve cannot be reached at http://127.0.0.1:4400: connect ECONNREFUSED 127.0.0.1:4400
Start it with \`reeve dev MODULE\`, or with \`reeve start\` for the shop of the examples; or give its address with --url or REEVE_URL (or HOST and PORT, as for \`reeve start\`), or its stack with --stack.
`,
  });
});

test.each([
  ['not JSON', 'hello'],
  ['another document', '{"orders":7}'],
])('an answer that is %s exits 4', async (_, body) => {
  const { app, run } = scenario();
  app.get('/orders', (c) => c.text(body));
  const { exitCode, stderr } = await run('list');
  expect(exitCode).toBe(4);
  expect(stderr).toContain('in an unknown form');
});

test('a server that accepts and never answers is given up after half a minute', async () => {
  const asked: number[] = [];
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    asked.push(ms);
    return AbortSignal.abort(new DOMException('The operation timed out.', 'TimeoutError'));
  });
  onTestFinished(() => timeout.mockRestore());
  const { run } = scenario({
    fetch: async (_, { signal }) => {
      signal?.throwIfAborted();
      return new Promise(() => {});
    },
  });
  const { exitCode, stderr } = await run('list');
  expect([exitCode, asked]).toEqual([4, [30_000]]);
  expect(stderr).toContain('The operation timed out.');
});
