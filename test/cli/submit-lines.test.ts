/** Many orders by one command, over the API of a real Reeve. */
import { expect, test } from 'vitest';
import type { CliEnvironment } from '#cli/environment.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { orderId } from '#core/model/ids.ts';
import { submissionBatch } from '#roles/submission/submission-batch.ts';
import type { Submission } from '#roles/submission.ts';
import { scenario as reeveScenario } from '../http/scenario.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { bytesOf, nobodyThere, problem, scenario } from './scenario.ts';

/** `guests` as no program prints it, so that a parsed and printed order would differ. */
const order = (guests: number, dish = 'soup') =>
  `{"workflow":"dinner","details":{"dish":"${dish}","guests":${guests}.0}}`;
const many = (count: number) => Array.from({ length: count }, (_, at) => order(at + 1));

const submissionOf =
  (submit: Submission['submit']): Parameters<typeof reeveScenario>[0] =>
  (ports) => ({ ...ports, batch: submissionBatch({ ...ports, submission: { submit } }) });

/** The command line with a file of these lines, beside a Reeve. */
async function submitting(
  lines: readonly string[],
  {
    change,
    reachable = Number.POSITIVE_INFINITY,
    ...world
  }: Partial<CliEnvironment> & {
    readonly change?: Parameters<typeof reeveScenario>[0];
    /** Requests that reach Reeve. */
    readonly reachable?: number;
  } = {},
) {
  const reeve = await reeveScenario(change);
  const bodies: string[] = [];
  const fetch: CliEnvironment['fetch'] = (url, init) => {
    if (bodies.push(String(init.body)) > reachable) return nobodyThere(url, init);
    return Promise.resolve(reeve.app.request(new URL(url).pathname, init));
  };
  const given = scenario({ readFile: bytesOf(lines.join('\n')), fetch, ...world });
  return {
    ...given,
    bodies,
    /** The orders of each request. */
    sent: () => bodies.map((body): readonly Record<string, unknown>[] => JSON.parse(body).orders),
    stored: async () => {
      const all = { processState: null, limit: 200, cursor: null };
      return (await reeve.reeve.store.list(all)).items.length;
    },
  };
}

const documentsOf = (stdout: string): Record<string, unknown>[] =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

const count = (lists: readonly (readonly unknown[])[]) => lists.map(({ length }) => length);

const accepted = (name: number) =>
  ({ kind: 'accepted', orderId: orderId(`o-${name}`), processState: 'Pending' }) as const;
const overloaded = (retryAfterMs: number) =>
  ({ kind: 'overloaded', code: 'overloaded', retryAfterMs }) as const;

test('250 lines take three requests, and are reported in their order', async () => {
  const { run, sent } = await submitting(many(250));
  const { exitCode, stdout } = await run('submit orders.jsonl --lines --json');
  expect(exitCode).toBe(0);
  expect(count(sent())).toEqual([100, 100, 50]);
  const outcomes = documentsOf(stdout);
  expect(outcomes.map(({ line, kind }) => `${line} ${kind}`)).toEqual(
    many(250).map((_, at) => `${at + 1} accepted`),
  );
  expect(new Set(outcomes.map(({ orderId: id }) => id)).size).toBe(250);
});

test('each line is sent as it is, with a key for each', async () => {
  const { run, bodies } = await submitting([order(1), '', `  ${order(2)}\r`]);
  expect(await run('submit orders.jsonl --lines --key cart')).toEqual({
    exitCode: 0,
    stdout: '✓ 2 orders accepted\n',
    stderr: '',
  });
  const keyed = (guests: number, key: string) => order(guests).replace(/}$/, `,"key":"${key}"}`);
  expect(bodies).toEqual([`{"orders":[${keyed(1, 'cart-1')},${keyed(2, 'cart-3')}]}`]);
});

test('the same command again submits no order twice', async () => {
  const { run, stored } = await submitting(many(120));
  const command = 'submit orders.jsonl --lines --key cart --json';
  const first = await run(command);
  expect(await run(command)).toEqual(first);
  expect(await stored()).toBe(120);
});

test('a key in the line is the key of its order', async () => {
  const own = order(1).replace(/}$/, ',"key":"own"}');
  const { run, sent, stored } = await submitting([own, own, order(1)]);
  expect((await run('submit orders.jsonl --lines --key cart')).exitCode).toBe(0);
  expect(sent()[0]?.map(({ key }) => key)).toEqual(['own', 'own', 'cart-3']);
  expect(await stored()).toBe(2);
});

test('requests are within the limit of their body', async () => {
  const { run, sent } = await submitting(Array(10).fill(order(1, 'é'.repeat(60_000))));
  expect((await run('submit orders.jsonl --lines')).stdout).toBe('✓ 10 orders accepted\n');
  expect(count(sent())).toEqual([8, 2]);
});

test('lines that are refused do not concern the others', async () => {
  const twice = order(5).replace('{', '{"workflow":"dinner",');
  const lines = [order(1), order(0), '[]', order(4), twice, order(6)];
  const { run, stored } = await submitting(lines);
  const { exitCode, stdout } = await run('submit orders.jsonl --lines --key cart --json');
  expect(exitCode).toBe(3);
  expect(documentsOf(stdout)).toEqual([
    { line: 1, kind: 'accepted', orderId: expect.any(String) },
    { line: 2, kind: 'refused', what: 'The details do not match the schema of the workflow' },
    { line: 3, kind: 'refused', what: 'Invalid request body' },
    { line: 4, kind: 'accepted', orderId: expect.any(String) },
    { line: 5, kind: 'refused', what: 'The body is not valid JSON' },
    { line: 6, kind: 'accepted', orderId: expect.any(String) },
  ]);
  expect(await stored()).toBe(3);
  expect((await run('submit orders.jsonl --lines --key cart')).stdout).toMatch(
    /^line 2 {2}refused: .*\nline 3 {2}refused: .*\nline 5 {2}refused: .*\n✓ 3 orders accepted, 3 refused\n$/,
  );
});

test('a line that is too large for a request is refused, and no other', async () => {
  const lines = [order(1), order(2, 'x'.repeat(1_100_000)), order(3)];
  const { run, stored } = await submitting(lines);
  expect(await run('submit orders.jsonl --lines')).toMatchObject({
    exitCode: 3,
    stdout: 'line 2  refused: The body is too large\n✓ 2 orders accepted, 1 refused\n',
  });
  expect(await stored()).toBe(2);
});

test('lines whose request is too large for a proxy are sent in halves', async () => {
  const { app, run, requests } = scenario({ readFile: bytesOf(many(4).join('\n')) });
  app.post('/orders/batch', async (c) => {
    const { orders } = await c.req.json<{ orders: object[] }>();
    if (orders.length > 1) return new Response('{"message":"Request Too Long"}', { status: 413 });
    return c.json({ orders: [accepted(requests.length)] });
  });
  expect((await run('submit orders.jsonl --lines')).stdout).toBe('✓ 4 orders accepted\n');
  expect(requests).toHaveLength(7);
});

test('lines that were answered with an earlier order are counted for themselves', async () => {
  let submitted = 0;
  const change = submissionOf(async () => {
    submitted += 1;
    return submitted % 3 === 1 ? accepted(1) : { ...accepted(1), skipped: true };
  });
  const { run } = await submitting(many(3), { change });
  expect(await run('submit orders.jsonl --lines')).toEqual({
    exitCode: 0,
    stdout: '✓ 1 order accepted, 2 skipped\n',
    stderr: '',
  });
  const { stdout } = await run('submit orders.jsonl --lines --json');
  expect(documentsOf(stdout)[1]).toEqual({ line: 2, kind: 'skipped', orderId: 'o-1' });
});

test('a line that is not JSON stops the command before an order is sent', async () => {
  const { run, bodies } = await submitting([order(1), '{"work']);
  const { exitCode, stderr } = await run('submit orders.jsonl --lines');
  expect({ exitCode, bodies }).toEqual({ exitCode: 2, bodies: [] });
  expect(stderr).toContain('Line 2 of orders.jsonl is not JSON');
});

test('a line that is not UTF-8 is named, and stops the command before an order is sent', async () => {
  const good = Buffer.from(`${order(1)}\n${order(2, 'é')}\n`);
  const readFile = async () => Buffer.concat([good, Buffer.from(order(3, 'é'), 'latin1')]);
  const { run, bodies } = await submitting([], { readFile });
  const { exitCode, stderr } = await run('submit orders.jsonl --lines');
  expect({ exitCode, bodies }).toEqual({ exitCode: 2, bodies: [] });
  expect(stderr).toContain('Line 3 of orders.jsonl is not valid UTF-8');
});

test('a file may begin with a byte order mark, and end its lines as Windows does', async () => {
  const { run, bodies } = await submitting([`\uFEFF${order(1, 'é')}\r`, order(2), '\r', '']);
  expect((await run('submit orders.jsonl --lines')).stdout).toBe('✓ 2 orders accepted\n');
  expect(bodies).toEqual([`{"orders":[${order(1, 'é')},${order(2)}]}`]);
});

test.each([
  ['--wait', '--lines --wait'],
  ['--correlation-id', '--lines --correlation-id po-7'],
  ['a key without space for the number of the line', `--lines --key ${'k'.repeat(119)}`],
])('submit --lines with %s is wrong usage', async (_, options) => {
  const { run, bodies } = await submitting(many(1));
  expect((await run(`submit orders.jsonl ${options}`)).exitCode).toBe(2);
  expect(bodies).toEqual([]);
});

test('orders that are refused for now are sent again after Retry-After and a random time, and no others', async () => {
  let submitted = 0;
  const change = submissionOf(async () => {
    submitted += 1;
    return submitted === 2 || submitted === 3
      ? overloaded(submitted * 10_000)
      : accepted(submitted);
  });
  const { run, sent, sleeps } = await submitting(many(103), { change });
  const { exitCode, stdout, stderr } = await run('submit orders.jsonl --lines --json');
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/^Refused for now \(overloaded\): the next try is in 45 s\.\n/);
  // That of the order that has to wait for the longest.
  expect(sleeps).toEqual([45_000]);
  // No order after them takes their place.
  expect(sent().map((orders) => orders.map(({ details }) => details))).toEqual([
    many(100).map((line) => JSON.parse(line).details),
    [
      { dish: 'soup', guests: 2 },
      { dish: 'soup', guests: 3 },
    ],
    [101, 102, 103].map((guests) => ({ dish: 'soup', guests })),
  ]);
  expect(documentsOf(stdout)[98]).toMatchObject({ line: 2, kind: 'accepted' });
});

test.each([
  ['with a key are sent again, because it may have stored them', '--key cart', 2, 0],
  ['without a key are not, because it may have stored them', '', 1, 4],
])('orders that the store has failed %s', async (_, key, requests, exitCode) => {
  let submitted = 0;
  const change = submissionOf(async () => {
    submitted += 1;
    if (submitted === 1) throw new UnavailableError('store-unavailable', 'The disk is away.');
    return accepted(submitted);
  });
  const { run, sent } = await submitting(many(2), { change });
  const ran = await run(`submit orders.jsonl --lines ${key}`);
  expect({ requests: count(sent()).length, exitCode: ran.exitCode }).toEqual({
    requests,
    exitCode,
  });
});

test('orders that are refused ten times while none is accepted have failed', async () => {
  const change = submissionOf(async () => overloaded(1_000));
  const { run, sent } = await submitting(many(2), { change });
  expect(await run('submit orders.jsonl --lines')).toMatchObject({
    exitCode: 4,
    stdout: expect.stringMatching(
      /^line 1 {2}failed: .*\nline 2 {2}failed: .*\n✓ 0 orders accepted, 2 failed\n$/,
    ),
  });
  expect(count(sent())).toEqual(Array(10).fill(2));
});

test('all of 1,000 orders are accepted in the end, however few begin between two tries', async () => {
  const clock = virtualClock();
  const startedAt = clock.now();
  let stored = 0;
  let refused = 0;
  const change = submissionOf(async () => {
    // An order is worked off in ten seconds, and a hundred may wait.
    if (stored < 100 + (clock.now() - startedAt) / 10_000) {
      stored += 1;
      return accepted(stored);
    }
    refused += 1;
    return overloaded(25_000);
  });
  const { run } = await submitting(many(1_000), {
    change,
    now: clock.now,
    sleep: (ms) => new Promise((resolve) => clock.after(ms, resolve)),
  });
  let isDone = false;
  const result = run('submit orders.jsonl --lines').finally(() => {
    isDone = true;
  });
  while (!isDone) await clock.advance(10_000);
  const { exitCode, stdout, stderr } = await result;
  expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: '✓ 1,000 orders accepted\n' });
  expect({ stored, isRefused: refused > 0 }).toEqual({ stored: 1_000, isRefused: true });
  expect(stderr).toContain('Refused for now (overloaded): the next try is in 38 s.');
});

test('a request that is refused for now as a whole is sent again', async () => {
  const { app, run, requests, sleeps } = scenario({ readFile: bytesOf(order(1)) });
  app.post('/orders/batch', (c) => {
    const orders = [{ kind: 'accepted', orderId: 'o-1', processState: 'Pending' }];
    if (requests.length > 1) return c.json({ orders });
    const later = problem(503, 'unavailable');
    later.headers.set('retry-after', '2');
    return later;
  });
  expect((await run('submit orders.jsonl --lines --key cart')).exitCode).toBe(0);
  expect([requests.length, sleeps]).toEqual([2, [3_000]]);
});

test('a request with an order without a key is not sent again when it may have been carried out', async () => {
  const keyed = order(1).replace(/}$/, ',"key":"cart-1"}');
  const { app, run, requests } = scenario({ readFile: bytesOf([keyed, order(2)].join('\n')) });
  app.post('/orders/batch', () => {
    const later = problem(503, 'unavailable');
    later.headers.set('retry-after', '2');
    return later;
  });
  expect((await run('submit orders.jsonl --lines')).exitCode).toBe(4);
  expect(requests).toHaveLength(1);
});

test('the orders of requests that find no Reeve have failed', async () => {
  const { run, stored } = await submitting(many(150), { reachable: 1 });
  const { exitCode, stdout } = await run('submit orders.jsonl --lines');
  expect(exitCode).toBe(4);
  expect(stdout).toContain('line 101  failed: Reeve cannot be reached');
  expect(stdout).toContain('✓ 100 orders accepted, 50 failed\n');
  expect(await stored()).toBe(100);
});

test('an answer with another number of outcomes is none of Reeve', async () => {
  const { app, run } = scenario({ readFile: bytesOf(order(1)) });
  app.post('/orders/batch', (c) => c.json({ orders: [] }));
  const { exitCode, stdout } = await run('submit orders.jsonl --lines');
  expect(exitCode).toBe(4);
  expect(stdout).toContain('line 1  failed: Reeve answered POST /orders/batch in an unknown form');
});
