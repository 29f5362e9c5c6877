/** What the command line does while Reeve refuses an order for now. */
import { expect, test } from 'vitest';
import { at, bytesOf, problem, scenario, order as stored } from './scenario.ts';

const order = '{"workflow":"order-fulfilment","details":{"price":1.10}}';

/** Answers 503 `overloaded` to the first `times` requests. */
function overloaded(times: number) {
  const given = scenario({ readFile: bytesOf(order) });
  let count = 0;
  given.app.post('/orders', (c) => {
    count += 1;
    if (count > times) return c.json({ orderId: `o-${count}`, processState: 'Pending' }, 202);
    const refused = problem(503, 'overloaded');
    refused.headers.set('retry-after', '40');
    return refused;
  });
  return given;
}

test('an order that is refused for now is sent again after Retry-After and a random time', async () => {
  const { run, requests, sleeps } = overloaded(2);
  expect(await run('submit order.json')).toEqual({
    exitCode: 0,
    stdout: 'Order o-3  ○ Pending\n',
    stderr: 'Refused for now (overloaded): the next try is in 60 s.\n'.repeat(2),
  });
  expect(sleeps).toEqual([60_000, 60_000]);
  expect(requests.map(({ body }) => body)).toEqual([order, order, order]);
});

test('a Retry-After that is a date is waited for too', async () => {
  const { app, run, requests, sleeps } = scenario({ readFile: bytesOf(order) });
  app.post('/orders', (c) => {
    if (requests.length > 1) return c.json({ orderId: 'o-1', processState: 'Pending' }, 202);
    const headers = { 'retry-after': new Date(at(35)).toUTCString() };
    return new Response('{}', { status: 429, headers });
  });
  expect((await run('submit order.json')).exitCode).toBe(0);
  expect(sleeps).toEqual([35_000 * 1.5]);
});

test('an order that is refused ten times fails with the reason', async () => {
  const { run, requests } = overloaded(100);
  const { exitCode, stderr } = await run('submit order.json');
  expect(exitCode).toBe(4);
  expect(requests).toHaveLength(10);
  expect(stderr).toContain('code: overloaded');
});

test.each([
  ['429 without Retry-After, as API Gateway answers', 429, null, 'submit order.json', 2],
  ['503 for a request with a key', 503, '1', 'submit order.json --key k', 2],
  ['503 for a request without a key: it may have been stored', 503, '1', 'submit order.json', 1],
  ['503 without Retry-After', 503, null, 'submit order.json --key k', 1],
])('%s', async (_, status, again, command, sent) => {
  const { app, run, requests } = scenario({ readFile: bytesOf(order) });
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

test('the code of a refusal, which may be of a proxy, does not control the terminal', async () => {
  const { app, run } = scenario();
  app.get('/orders', () => Response.json({ code: '\x1b[2J', title: 'No' }, { status: 429 }));
  const { stderr } = await run('list');
  expect(stderr).toContain('Refused for now ( [2J)');
  expect(stderr).not.toContain('\x1b');
});

test.each([
  ['0', '0'],
  ['a date that has passed', new Date(at(-60)).toUTCString()],
])('Retry-After %s: the waits are those without one', async (_, retryAfter) => {
  const { app, run, sleeps } = scenario({ readFile: bytesOf(order) });
  app.post('/orders', () => {
    const headers = { 'retry-after': retryAfter };
    return new Response('{}', { status: 429, headers });
  });
  await run('submit order.json');
  expect(sleeps).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000]);
});

/** Answers each change of an order, and each submission, with this status. */
function answering(status: number) {
  const given = scenario({ readFile: bytesOf(order) });
  const { app } = given;
  app.get('/orders', (c) => {
    const listed = stored({ actions: { resubmit: null, cancel: null, reprioritise: null } });
    const orders = c.req.query('state') === 'Pending' ? [listed] : [];
    return c.json({ orders, cursor: null, asOf: at(0) });
  });
  app.post('/orders/batch', (c) => {
    const refused = { kind: 'refused', problem: { ...document, status }, retryAfterSeconds: 1 };
    return c.json({ orders: [refused] });
  });
  app.post('*', () => problem(status, 'singleton-full'));
  return given;
}

const document = {
  ...{ type: 'urn:reeve:problem:singleton-full', title: 'It is refused', detail: 'It is full.' },
  code: 'singleton-full',
};

test.each([
  [408, 4, 'failed'],
  [429, 4, 'failed'],
  [409, 3, 'refused'],
])('a status %i that lasts is exit code %i: %s', async (status, code, kind) => {
  const { run } = answering(status);
  const single = await run('submit order.json');
  expect(single.exitCode).toBe(code);
  const cancelled = await run('cancel o-1 --json');
  expect(JSON.parse(cancelled.stdout).error.exitCode).toBe(code);
  const lines = await run('submit orders.jsonl --lines');
  expect(lines).toMatchObject({
    exitCode: code,
    stdout: expect.stringMatching(
      new RegExp(`^line 1 {2}${kind}: .*0 orders accepted, 1 ${kind}`, 's'),
    ),
  });
  const bulk = await run('cancel --workflow order-fulfilment --yes');
  expect(bulk.exitCode).toBe(code);
  expect(bulk.stdout).toContain(`o-1  ${kind}: It is refused`);
  expect(bulk.stdout).toContain(
    `0 orders cancelled, 1 ${kind}${code === 4 ? ': run it again' : ''}\n`,
  );
});

test('orders whose request is refused for now as a whole, for longer than the tries, have failed', async () => {
  const { app, run } = scenario({ readFile: bytesOf(order) });
  app.post('/orders/batch', () => new Response('{}', { status: 429 }));
  const { exitCode, stdout } = await run('submit orders.jsonl --lines');
  expect(exitCode).toBe(4);
  expect(stdout).toContain('0 orders accepted, 1 failed\n');
});
