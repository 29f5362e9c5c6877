/** One action on many orders: found page by page, done a few at a time, stopped and continued. */
import { describe, expect, test } from 'vitest';
import type { Answer } from '#console/api/answer.ts';
import type { ListDocument, ProcessState } from '#console/api/documents.ts';
import { answerOf } from '#console/api/read-answer.ts';
import {
  conditionOf,
  fits,
  forEachOrder,
  leftAlone,
  type Meant,
  ordersText,
  type Result,
  resultOf,
  resultsMax,
  withResult,
} from '#console/orders/bulk.ts';
import { findOrders, type Start } from '#console/orders/find-orders.ts';
import { summary } from './scenario.ts';

type Done = Answer<{ processState: ProcessState }>;
const ok: Done = { kind: 'ok', body: { processState: 'Pending' } };
const refused = (status: number, code = 'no'): Done => ({
  kind: 'refused',
  status,
  problem: { title: 'No', detail: 'There is a reason.', code },
});
const meant = (count: number): Meant[] =>
  Array.from({ length: count }, (_, at) => ({ orderId: `o${at}`, revision: at + 1 }));

test.each([
  ['resubmit', { 'if-match': '"7"' }],
  ['cancel', {}],
  ['reprioritise', {}],
] as const)('a %s has the condition %j', (action, headers) => {
  expect(conditionOf(action, { orderId: 'one', revision: 7 })).toEqual(headers);
});

test('each order gets a result, and never more than four are under way', async () => {
  let underWay = 0;
  let most = 0;
  const results: string[] = [];
  const act = async ({ orderId }: Meant) => {
    underWay += 1;
    most = Math.max(most, underWay);
    await Promise.resolve();
    underWay -= 1;
    return orderId === 'o3' ? refused(409) : ok;
  };
  const ended = await forEachOrder(meant(30), act, (result) =>
    results.push(`${result.orderId}:${result.ok}`),
  );
  expect(ended).toBe('done');
  const expected = meant(30).map(({ orderId }) => `${orderId}:${orderId !== 'o3'}`);
  expect(results.toSorted()).toEqual(expected.toSorted());
  expect(most).toBe(4);
});

test.each([
  { kind: 'unreachable' } as Done,
  refused(503),
  refused(429),
  refused(401),
  refused(200),
  // Of a gateway, whose document is none of Reeve.
  answerOf<{ processState: ProcessState }>(500, '{"message":"Internal Server Error"}'),
])(
  'when the server is overloaded (%j) it stops, and continues later with the rest',
  async (outage) => {
    const left = meant(40);
    const done: string[] = [];
    let isOut = false;
    const act = async () => {
      await Promise.resolve();
      return isOut ? outage : ok;
    };
    const onResult = ({ orderId }: Result) => {
      done.push(orderId);
      isOut = done.length >= 10;
    };
    expect(await forEachOrder(left, act, onResult)).toBe('out');
    expect(done.length).toBeLessThan(15);
    expect(left).toHaveLength(40 - done.length);
    isOut = false;
    expect(await forEachOrder(left, async () => ok, onResult)).toBe('done');
    expect(done.toSorted()).toEqual(
      meant(40)
        .map(({ orderId }) => orderId)
        .toSorted(),
    );
  },
);

test.each(['store-damaged', 'internal'])(
  'an order for which Reeve has a fault of its own (%s) has that as its result, and the others go on',
  async (code) => {
    const results: Result[] = [];
    const act = async ({ orderId }: Meant) => (orderId === 'o3' ? refused(500, code) : ok);
    const ended = await forEachOrder(meant(30), act, (result) => results.push(result));
    expect(ended).toBe('done');
    expect(results.filter((result) => !result.ok).map(({ orderId }) => orderId)).toEqual(['o3']);
    expect(results).toHaveLength(30);
  },
);

test('a stopped run continues with the rest', async () => {
  const left = meant(20);
  const done: string[] = [];
  const onResult = ({ orderId }: Result) => done.push(orderId);
  const act = async () => ok;
  expect(await forEachOrder(left, act, onResult, () => done.length >= 8)).toBe('stopped');
  expect(await forEachOrder(left, act, onResult)).toBe('done');
  expect(new Set(done).size).toBe(20);
  expect(done).toHaveLength(20);
});

test('results are bounded, and refusals are kept before successes', () => {
  let results: readonly Result[] = [];
  for (let at = 0; at < 3 * resultsMax; at += 1) {
    results = withResult(results, { orderId: `o${at}`, ok: at % 10 !== 0, words: '' });
  }
  expect(results).toHaveLength(resultsMax);
  expect(results.filter(({ ok: isOk }) => !isOk)).toHaveLength(60);
  expect(results.at(-1)?.orderId).toBe(`o${3 * resultsMax - 1}`);
});

describe('finding all that match', () => {
  const server = (count: number) => {
    const asked: string[] = [];
    const orders = Array.from({ length: count }, (_, at) => summary(`o${at}`));
    const get = async (path: string): Promise<Answer<ListDocument>> => {
      asked.push(path);
      const [from = 0, limit = 0] = path.split('/').map(Number);
      const to = from + limit;
      const page = orders.slice(from, to);
      const cursor = to < count ? String(to) : null;
      return { kind: 'ok', body: { orders: page, cursor, asOf: '' } };
    };
    const path = (cursor: string | null, limit: number) => `${cursor ?? 0}/${limit}`;
    return { asked, get, path };
  };

  test('every page is read, and a repeated order counts once', async () => {
    const { asked, get, path } = server(450);
    const progress: number[] = [];
    const onProgress = (found: number) => progress.push(found);
    const found = await findOrders({ get, path, max: 1_000, onProgress });
    expect(found).toMatchObject({ kind: 'found', isComplete: true });
    expect(found.kind === 'found' && new Set(found.orders.map((o) => o.orderId)).size).toBe(450);
    expect(asked).toEqual(['0/200', '200/200', '400/200']);
    expect(progress).toEqual([200, 400, 450]);
  });

  test('an order that moves to the next page counts once, and a cursor that leads nowhere ends it', async () => {
    const { get, path, asked } = server(450);
    const overlapping = (cursor: string | null, limit: number) =>
      path(cursor === null ? null : String(Number(cursor) - 50), limit);
    const found = await findOrders({ get, path: overlapping, max: 1_000 });
    expect(found.kind === 'found' && found.orders).toHaveLength(450);
    asked.length = 0;
    const stuck = await findOrders({ get, path: () => '0/200', max: 1_000 });
    expect(stuck).toMatchObject({ isComplete: false, next: null });
    expect(asked).toHaveLength(2);
  });

  test.each([
    [399, 300, false],
    [400, 400, true],
    [401, 400, false],
    [300, 300, true],
  ])(
    'of %i orders, of which at most %i are found, all are found: %s',
    async (count, max, isAll) => {
      const { get, path } = server(count);
      const found = await findOrders({ get, path, max });
      expect(found).toMatchObject({ kind: 'found', isComplete: isAll });
      expect(found.kind === 'found' && found.orders).toHaveLength(Math.min(count, max));
    },
  );

  test('the number of orders is limited, and the result says that there are more', async () => {
    const { get, path } = server(700);
    const found = await findOrders({ get, path, max: 500 });
    expect(found).toMatchObject({ kind: 'found', isComplete: false });
    expect(found.kind === 'found' && found.orders.length).toBe(500);
  });

  test.each([
    [1_000, 300, 1],
    [1_000, 300, 3],
    [999, 250, 2],
    [401, 400, 1],
    [450, 700, 5],
  ])(
    'searches that follow each other find each of %i orders once, at most %i at a time, where each %i. one fits',
    async (count, max, each) => {
      const { get, path } = server(count);
      const fitting = ({ orderId }: { orderId: string }) => Number(orderId.slice(1)) % each === 0;
      const all: string[] = [];
      let skipped = 0;
      let from: Start | null | undefined;
      while (from !== null) {
        const found = await findOrders({ get, path, max, fits: fitting, ...(from && { from }) });
        if (found.kind === 'failed') throw new Error('it failed');
        expect(found.orders.length).toBeLessThanOrEqual(max);
        expect(found.isComplete).toBe(found.next === null);
        all.push(...found.orders.map(({ orderId }) => orderId));
        skipped += found.skipped;
        from = found.next;
      }
      const expected = Array.from({ length: count }, (_, at) => `o${at}`);
      const fitted = expected.filter((orderId) => fitting({ orderId }));
      expect(all).toEqual(fitted);
      expect(skipped).toBe(count - fitted.length);
    },
  );

  test('orders that do not fit take no place from one that does, and none ends the search before one is found', async () => {
    const { get, path } = server(900);
    const fitting = ({ orderId }: { orderId: string }) => Number(orderId.slice(1)) >= 650;
    const found = await findOrders({ get, path, max: 400, fits: fitting });
    expect(found).toMatchObject({ isComplete: false, skipped: 650 });
    expect(found.kind === 'found' && found.orders).toHaveLength(150);
  });

  test('only matching orders of a listing are found', async () => {
    const { get, path } = server(250);
    const accepts = ({ orderId }: { orderId: string }) => orderId.endsWith('7');
    const found = await findOrders({ get, path, max: 500, accepts });
    expect(found.kind === 'found' && found.orders.length).toBe(25);
  });

  test('an error and a stop end it', async () => {
    const { get, path, asked } = server(900);
    const down = async (): Promise<Answer<ListDocument>> => ({ kind: 'unreachable' });
    expect(await findOrders({ get: down, path, max: 9 })).toMatchObject({ kind: 'failed' });
    await findOrders({ get, path, max: 900, isStopped: () => asked.length === 2 });
    expect(asked).toHaveLength(2);
  });
});

test.each([
  [1, '1 order'],
  [12_345, '12,345 orders'],
])('%i are %s', (count, text) => {
  expect(ordersText(count)).toBe(text);
});

test('a refusal has the text of the API, as sentences', () => {
  const problem = { title: 'The order has ended', detail: 'It is Undone.', code: 'ended' };
  const result = resultOf('o1', { kind: 'refused', status: 409, problem });
  expect(result).toEqual({ orderId: 'o1', ok: false, words: 'The order has ended. It is Undone.' });
});

test('an action is offered where the order says that it is allowed', () => {
  const actions = {
    resubmit: null,
    correct: 'already-undoing',
    cancel: 'already-undoing',
    reprioritise: null,
  } as const;
  expect(fits('resubmit', { actions })).toBe(true);
  expect(fits('cancel', { actions })).toBe(false);
});

test('orders for which the action is impossible are counted', () => {
  expect(leftAlone('resubmit', 1)).toMatch(/^1 of the selected orders is not in Error/);
  expect(leftAlone('cancel', 3)).toMatch(/^3 of the selected orders are final/);
});
