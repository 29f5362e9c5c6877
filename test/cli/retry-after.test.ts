/** What the command line does while Reeve refuses an order for now. */
import { expect, test } from 'vitest';
import { at, bytesOf, problem, scenario } from './scenario.ts';

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
