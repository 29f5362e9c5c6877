import { expect, test } from 'vitest';
import {
  at,
  bytesOf,
  inError,
  look,
  looks,
  nobodyThere,
  order,
  problem,
  processed,
  scenario,
  step,
  terminal,
} from './scenario.ts';

const text = '{"workflow":"order-fulfilment","details":{"price":1.10}}';
const readFile = bytesOf(text);

function accepting(changes: Parameters<typeof scenario>[0] = {}) {
  const given = scenario({ readFile, ...changes });
  given.app.post('/orders', (c) => c.json({ orderId: 'o-1', processState: 'Pending' }, 202));
  return given;
}

test('submit says that it was answered with an earlier order', async () => {
  const { app, run } = scenario({ readFile });
  const skipped = { orderId: 'o-0', processState: 'Processing', skipped: true };
  app.post('/orders', (c) => c.json(skipped, 200));
  expect((await run('submit order.json')).stdout).toBe(
    'Order o-0  ● Processing  skipped: this earlier order of the same singleton key has not ended\n',
  );
  expect(JSON.parse((await run('submit order.json --json')).stdout)).toEqual(skipped);
});

test('submit posts the file as it is and prints the order', async () => {
  const { run, requests } = accepting();
  expect(await run('submit order.json')).toEqual({
    exitCode: 0,
    stdout: 'Order o-1  ○ Pending\n',
    stderr: '',
  });
  const [request] = requests;
  expect(request).toMatchObject({
    method: 'POST',
    url: 'http://127.0.0.1:4400/orders',
    body: text,
  });
  expect(request?.headers.get('content-type')).toBe('application/json');
  expect(request?.headers.has('idempotency-key')).toBe(false);
  expect(request?.headers.has('authorization')).toBe(false);
});

test('submit --json prints the response unchanged, with unknown fields', async () => {
  const { app, run } = scenario({ readFile });
  app.post('/orders', (c) => c.json({ orderId: 'o-1', processState: 'Pending', queue: 3 }, 202));
  const { stdout } = await run('submit order.json --json');
  expect(stdout).toBe('{"orderId":"o-1","processState":"Pending","queue":3}\n');
});

test('submit - reads standard input', async () => {
  const { run, requests } = accepting({ stdin: bytesOf('{"from":"stdin"}') });
  expect((await run('submit -')).exitCode).toBe(0);
  expect(requests[0]?.body).toBe('{"from":"stdin"}');
});

test('submit --key sends it as the idempotency key', async () => {
  const { run, requests } = accepting();
  expect((await run('submit order.json --key k-1')).exitCode).toBe(0);
  expect(requests[0]?.headers.get('idempotency-key')).toBe('k-1');
});

test('submit --correlation-id adds it to the file, whose numbers stay as they were written', async () => {
  const { run, requests } = accepting();
  expect((await run('submit order.json --correlation-id po-"7"')).exitCode).toBe(0);
  expect(requests[0]?.body).toBe(
    '{"workflow":"order-fulfilment","details":{"price":1.10},"correlationId":"po-\\"7\\""}',
  );
});

test('a correlation id in the file and one by option are refused: no name may occur twice', async () => {
  const { run, requests } = accepting({ readFile: bytesOf('{"correlationId":"old"}\n') });
  const { exitCode, stderr } = await run('submit order.json --correlation-id new');
  expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] });
  expect(stderr).toContain('order.json already has a correlationId');
});

test.each([
  [
    'a file',
    { readFile: async () => Buffer.from(text.replace('1.10', '"é"'), 'latin1') },
    'a.json',
  ],
  ['standard input', { stdin: async () => Buffer.from(`\uFEFF${text}`, 'utf16le') }, '-'],
])('%s that is not UTF-8 is wrong usage, and nothing is sent', async (_, changes, file) => {
  const { run, requests } = accepting(changes);
  const { exitCode, stderr } = await run(`submit ${file}`);
  expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] });
  expect(stderr).toContain('is not valid UTF-8');
});

test.each(['[1]', '7', 'null'])('%s takes no correlation id', async (other) => {
  const { run, requests } = accepting({ readFile: bytesOf(other) });
  const { exitCode, stderr } = await run('submit order.json --correlation-id new');
  expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] });
  expect(stderr).toContain('--correlation-id');
});

test.each(['schlüssel', 'a,b', 'k'.repeat(129)])('the key %s is wrong usage', async (key) => {
  const { run, requests } = accepting();
  const { exitCode, stderr } = await run(`submit order.json --key ${key}`);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('--key must be 1 to 128 visible ASCII characters');
  expect(requests).toEqual([]);
});

test('an unreadable file is wrong usage and nothing is sent', async () => {
  const { run, requests } = scenario();
  const { exitCode, stderr } = await run('submit nowhere.json');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('nowhere.json cannot be read: ENOENT');
  expect(requests).toEqual([]);
});

test('a file that is not JSON is wrong usage and nothing is sent', async () => {
  const { run, requests } = scenario({ readFile: bytesOf('{"workflow":') });
  const { exitCode, stderr } = await run('submit broken.json');
  expect(exitCode).toBe(2);
  expect(stderr).toContain('broken.json is not JSON');
  expect(requests).toEqual([]);
});

test('submit --wait asks at growing intervals until the order is Processed', async () => {
  const { app, run, sleeps } = accepting();
  const running = look({ processState: 'Processing', revision: 2 });
  looks(app, look(), ...Array.from({ length: 11 }, () => running), look(processed));
  const { exitCode, stdout } = await run('submit order.json --wait');
  expect(exitCode).toBe(0);
  expect(stdout.split('\n')).toEqual([
    'Order o-1  ○ Pending',
    'Order o-1  ✓ Processed  ✓ reserve  ✓ charge',
    '',
  ]);
  expect(sleeps[0]).toBe(50);
  expect(sleeps).toEqual(sleeps.toSorted((a, b) => a - b));
  expect(sleeps.at(-1)).toBe(1_000);
});

test('submit --wait --json prints the final order alone, on one line', async () => {
  const { app, run } = accepting();
  looks(app, look(), look(processed));
  const { exitCode, stdout } = await run('submit order.json --wait --json');
  expect(exitCode).toBe(0);
  expect(stdout).toBe(`${JSON.stringify(order(processed))}\n`);
  expect(stdout).toContain('"processState":"Processed"');
});

test('waiting for an order that ends in Error exits 6 and says what to do', async () => {
  const { app, run } = accepting();
  looks(app, look(inError));
  const { exitCode, stdout } = await run('submit order.json --wait');
  expect(exitCode).toBe(6);
  expect(stdout).toContain('✗ Error  ✓ reserve  ✗ charge');
  expect(stdout).toContain(
    'Fault in step charge: the card was declined (declined; it had no effect)',
  );
  expect(stdout).toContain('reeve resubmit o-1');
});

test('waiting for an order that ends Undone exits 5', async () => {
  const { app, run } = accepting();
  const steps = { reserve: step('Undone'), charge: step('Skipped') };
  looks(app, look({ processState: 'Undone', direction: 'undo', steps }));
  const { exitCode, stdout } = await run('submit order.json --wait');
  expect(exitCode).toBe(5);
  expect(stdout).toContain('↶ Undone  ↶ reserve  – charge');
  expect(stdout).not.toContain('resubmit');
});

test.each(['', ' --json'])(
  'without a terminal a wait prints each change, and a line every 5 s, on stderr%s',
  async (option) => {
    const { app, run } = accepting();
    const steps = { reserve: step('Running'), charge: step('NotStarted', { attempt: 0 }) };
    const running = look({ processState: 'Processing', revision: 2, steps });
    looks(app, look(), ...Array.from({ length: 18 }, () => running), look(processed));
    const { stdout, stderr } = await run(`submit order.json --wait${option}`);
    expect(stderr.split('\n')).toEqual([
      'Order o-1  ○ Pending  ○ reserve  ○ charge',
      'Order o-1  ● Processing  ● reserve  ○ charge',
      'Order o-1  ● Processing  ● reserve  ○ charge  (no change; waiting for 5 s)',
      'Order o-1  ● Processing  ● reserve  ○ charge  (no change; waiting for 10 s)',
      'Order o-1  ✓ Processed  ✓ reserve  ✓ charge',
      '',
    ]);
    expect(stdout.trimEnd().split('\n')).toHaveLength(option === '' ? 2 : 1);
  },
);

test('on a terminal one line is rewritten with the states of the steps, in colour', async () => {
  const { app, run } = accepting(terminal);
  const steps = { reserve: step('Running', { completeBy: at(2) }), charge: step('NotStarted') };
  looks(app, look({ processState: 'Processing', steps }), look(processed));
  const { stdout } = await run('submit order.json --wait');
  const rewritten = stdout.split('\r\x1b[2K');
  expect(rewritten).toHaveLength(4);
  expect(rewritten[1]).toContain('\x1b[36m●\x1b[39m reserve');
  expect(rewritten[1]).not.toContain('\n');
  expect(rewritten[3]).toMatch(/Processed.*charge\n$/);
});

test('--json is plain on a terminal too', async () => {
  const { app, run } = accepting(terminal);
  looks(app, look(), look(processed));
  const { stdout } = await run('submit order.json --wait --json');
  expect(stdout).toBe(`${JSON.stringify(order(processed))}\n`);
});

test('a wait survives a restart of Reeve, and reports it once', async () => {
  const { app, run } = accepting();
  const down = () => problem(503, 'unavailable');
  looks(app, look(), down, down, look(processed));
  const { exitCode, stdout, stderr } = await run('submit order.json --wait');
  expect(exitCode).toBe(0);
  expect(stdout).toContain('✓ Processed');
  expect(stderr.match(/Reeve does not answer; trying again …/g)).toHaveLength(1);
});

test('on a terminal the outage stands on the rewritten line', async () => {
  const { app, run } = accepting(terminal);
  looks(app, look(), () => problem(503, 'unavailable'), look(processed));
  const { exitCode, stdout, stderr } = await run('submit order.json --wait');
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  expect(stdout).toContain('Reeve does not answer');
});

test('the first look of a wait has the same patience: the order was accepted', async () => {
  const { app, run } = accepting();
  looks(app, () => problem(503, 'unavailable'), look(processed));
  const { exitCode, stdout } = await run('submit order.json --wait --json');
  expect([exitCode, JSON.parse(stdout)]).toEqual([0, order(processed)]);
});

test.each([
  ['down', 503, 'unavailable', 4],
  ['no longer allowed to ask', 403, 'forbidden', 3],
])('an error of a wait has the id of the order: %s', async (_, status, code, exit) => {
  const { app, run } = accepting();
  looks(app, () => problem(status, code));
  const { exitCode, stdout } = await run('submit order.json --wait --json');
  expect(exitCode).toBe(exit);
  const { error } = JSON.parse(stdout);
  expect(error).toMatchObject({ code, orderId: 'o-1' });
  expect(error.message).toContain('reeve show o-1');
});

test('a wait gives up after half a minute without an answer, and names the order', async () => {
  const { app, run, sleeps } = accepting();
  looks(app, look(), () => problem(503, 'unavailable'));
  const { exitCode, stderr } = await run('submit order.json --wait');
  expect(exitCode).toBe(4);
  expect(stderr).toContain('reeve show o-1');
  const waitedMs = sleeps.reduce((sum, ms) => sum + ms, 0);
  expect(waitedMs).toBeGreaterThan(30_000);
  expect(waitedMs).toBeLessThan(32_000);
});

test('an outage late in a long wait has the whole patience, also after another one', async () => {
  const { app, run, sleeps } = accepting();
  const away = () => problem(503, 'unavailable');
  const minute = Array.from({ length: 60 }, () => look());
  const outage = Array.from({ length: 20 }, () => away);
  looks(app, look(), away, ...minute, ...outage, look(processed));
  const { exitCode, stdout } = await run('submit order.json --wait');
  expect(sleeps.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(60_000);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining('✓ Processed')]);
});

test('a submission that reaches no server exits 4 at once', async () => {
  const { run, sleeps } = scenario({ readFile, fetch: nobodyThere });
  const { exitCode, stderr } = await run('submit order.json --wait');
  expect(exitCode).toBe(4);
  expect(stderr).toContain('ECONNREFUSED');
  expect(stderr).toContain('reeve start');
  expect(sleeps).toEqual([]);
});
