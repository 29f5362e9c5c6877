/** Many orders by one command, and what the command line does while Reeve refuses orders for now. */
import { expect, test } from 'vitest';
import { virtualClock } from '../support/virtual-clock.ts';
import { bytesOf, problem, scenario } from './scenario.ts';

const order = (count: number) => `{"workflow":"order-fulfilment","details":{"price":${count}.10}}`;
const many = (count: number) => Array.from({ length: count }, (_, at) => order(at)).join('\n');

/** Answers 503 `overloaded` to the first `times` requests. */
function overloaded(times: number, changes: Parameters<typeof scenario>[0] = {}, again = '40') {
  const given = scenario({ readFile: bytesOf(many(3)), ...changes });
  let count = 0;
  given.app.post('/orders', (c) => {
    count += 1;
    if (count > times) return c.json({ orderId: `o-${count}`, processState: 'Pending' }, 202);
    const refused = problem(503, 'overloaded');
    refused.headers.set('retry-after', again);
    return refused;
  });
  return given;
}

test('submit --lines submits each line as it is, with a key for each', async () => {
  const { run, requests } = overloaded(0, {
    readFile: bytesOf(`${order(1)}\n\n  ${order(2)}\r\n`),
  });
  expect(await run('submit orders.jsonl --lines --key cart')).toEqual({
    exitCode: 0,
    stdout: '✓ 2 orders accepted\n',
    stderr: '',
  });
  expect(requests.map(({ body, headers }) => [body, headers.get('idempotency-key')])).toEqual([
    [order(1), 'cart-1'],
    [order(2), 'cart-3'],
  ]);
});

test('submit --lines --json prints one line for each order', async () => {
  const { app, run } = scenario({ readFile: bytesOf(many(2)) });
  let count = 0;
  app.post('/orders', (c) => {
    count += 1;
    return count === 1
      ? c.json({ orderId: 'o-1', processState: 'Pending' }, 202)
      : problem(422, 'details-invalid');
  });
  const { exitCode, stdout } = await run('submit orders.jsonl --lines --json');
  expect(exitCode).toBe(3);
  expect(stdout).toBe(
    '{"line":1,"kind":"accepted","orderId":"o-1"}\n' +
      '{"line":2,"kind":"refused","what":"It is refused"}\n',
  );
});

test('submit --lines counts the lines that were answered with an earlier order for themselves', async () => {
  const { app, run } = scenario({ readFile: bytesOf(many(3)) });
  let count = 0;
  app.post('/orders', (c) => {
    count += 1;
    const order = { orderId: 'o-1', processState: 'Pending' };
    return count % 3 === 1 ? c.json(order, 202) : c.json({ ...order, skipped: true }, 200);
  });
  expect(await run('submit orders.jsonl --lines')).toEqual({
    exitCode: 0,
    stdout: '✓ 1 order accepted, 2 skipped\n',
    stderr: '',
  });
  const { stdout } = await run('submit orders.jsonl --lines --json');
  expect(stdout).toContain('"kind":"skipped","orderId":"o-1"}');
});

test('a line that is not JSON stops the command before an order is sent', async () => {
  const { run, requests } = overloaded(0, { readFile: bytesOf(`${order(1)}\n{"work`) });
  const { exitCode, stderr } = await run('submit orders.jsonl --lines');
  expect({ exitCode, requests }).toEqual({ exitCode: 2, requests: [] });
  expect(stderr).toContain('Line 2 of orders.jsonl is not JSON');
});

test.each([
  ['--wait', '--lines --wait'],
  ['--correlation-id', '--lines --correlation-id po-7'],
  ['a key without space for the number of the line', `--lines --key ${'k'.repeat(119)}`],
])('submit --lines with %s is wrong usage', async (_, options) => {
  const { run, requests } = overloaded(0);
  expect((await run(`submit orders.jsonl ${options}`)).exitCode).toBe(2);
  expect(requests).toEqual([]);
});

test('an order that is refused for now is sent again after Retry-After and a random time', async () => {
  const { run, requests, sleeps } = overloaded(2, { readFile: bytesOf(order(1)) });
  expect(await run('submit order.json')).toEqual({
    exitCode: 0,
    stdout: 'Order o-3  ○ Pending\n',
    stderr: 'Refused for now (overloaded): the next try is in 60 s.\n'.repeat(2),
  });
  expect(sleeps).toEqual([60_000, 60_000]);
  expect(requests.map(({ body }) => body)).toEqual([order(1), order(1), order(1)]);
});

test('an order that is refused ten times fails with the reason', async () => {
  const { run, requests } = overloaded(100, { readFile: bytesOf(order(1)) });
  const { exitCode, stderr } = await run('submit order.json');
  expect(exitCode).toBe(4);
  expect(requests).toHaveLength(10);
  expect(stderr).toContain('code: overloaded');
});

test('all of 1,000 orders are accepted in the end, as soon as there is room', async () => {
  const clock = virtualClock();
  const { app, run } = scenario({
    readFile: bytesOf(many(1_000)),
    now: clock.now,
    sleep: (ms) => new Promise((resolve) => clock.after(ms, resolve)),
  });
  const startedAt = clock.now();
  let accepted = 0;
  let refused = 0;
  app.post('/orders', (c) => {
    // Two orders are worked off per second, and a hundred may wait.
    if (accepted < 100 + (2 * (clock.now() - startedAt)) / 1_000) {
      accepted += 1;
      return c.json({ orderId: `o-${accepted}`, processState: 'Pending' }, 202);
    }
    refused += 1;
    const later = problem(503, 'overloaded');
    later.headers.set('retry-after', '25');
    return later;
  });
  let isDone = false;
  const result = run('submit orders.jsonl --lines').finally(() => {
    isDone = true;
  });
  while (!isDone) await clock.advance(1_000);
  const { exitCode, stdout, stderr } = await result;
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '✓ 1,000 orders accepted\n' });
  expect({ accepted, isRefused: refused > 0 }).toEqual({ accepted: 1_000, isRefused: true });
  expect(stderr).toContain('Refused for now (overloaded): the next try is in 38 s.');
});

test.each([
  ['429 without Retry-After, as API Gateway answers', 429, null, 'submit order.json', 2],
  ['503 for a request with a key', 503, '1', 'submit order.json --key k', 2],
  ['503 for a request without a key: it may have been stored', 503, '1', 'submit order.json', 1],
  ['503 without Retry-After', 503, null, 'submit order.json --key k', 1],
])('%s', async (_, status, again, command, sent) => {
  const { app, run, requests } = scenario({ readFile: bytesOf(order(1)) });
  app.post('/orders', (c) => {
    if (requests.length > 1) return c.json({ orderId: 'o-1', processState: 'Pending' }, 202);
    return new Response('{}', {
      status,
      ...(again !== null && { headers: { 'retry-after': again } }),
    });
  });
  await run(command);
  expect(requests).toHaveLength(sent);
});
