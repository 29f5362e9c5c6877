/** Options and arguments that exclude each other, that are left out, or that mean what the user did not write. */
import { describe, expect, test } from 'vitest';
import type { DeadLetter, DeadLetterAction } from '#cli/environment.ts';
import { queryOf, withInstants } from '#cli/options/order-filter.ts';
import { at, bytesOf, order, problem, scenario, step } from './scenario.ts';

test.each([
  'resubmit o-1 --state Error',
  'cancel o-1 --held',
  'cancel o-1 --workflow shop',
  'reprioritise o-1 --priority low --tenant inn',
  'resubmit o-1 --agent payment --since 2h',
  'limits set payment/a/b --at-once 1',
  'limits reset payment/a/b',
  'limits reset payment',
])('"%s" is wrong usage, and nothing is sent', async (line) => {
  const { run, requests } = scenario();
  expect(await run(line)).toMatchObject({ exitCode: 2, stdout: '' });
  expect(requests).toEqual([]);
});

test.each([
  ['30s', 30_000],
  ['15m', 15 * 60_000],
  ['2h', 2 * 3_600_000],
  ['3d', 3 * 86_400_000],
])('%s before now are %i ms', (since, ms) => {
  const nowMs = Date.UTC(2026, 5, 1);
  const filter = withInstants({ since, before: since }, nowMs);
  const instant = new Date(nowMs - ms).toISOString();
  expect(queryOf(filter).toString()).toBe(
    new URLSearchParams({ since: instant, before: instant }).toString(),
  );
});

test('restore replaces existing data only with --yes', async () => {
  const asked: unknown[] = [];
  const { run } = scenario({
    data: async (command) => {
      asked.push(command);
      return { exitCode: 0, document: {}, lines: [], error: null };
    },
  });
  await run('restore b.db');
  await run('restore b.db --yes');
  expect(asked).toEqual([
    { kind: 'restore', file: 'b.db', yes: false },
    { kind: 'restore', file: 'b.db', yes: true },
  ]);
});

test.each([
  ['down=true', true],
  ['down=false', false],
])('suppliers set %s', async (pair, down) => {
  const { app, run, requests } = scenario();
  app.put('/faults/payment', (c) => c.json({}));
  await run(`suppliers set payment ${pair}`);
  expect(requests[0]?.body).toBe(JSON.stringify({ down }));
});

test.each(['{"key":"own","details":{}}', '{"details":{}}'])(
  'lines without --key are sent again only where each has its own: %s',
  async (line) => {
    const { app, run, requests } = scenario({ readFile: bytesOf(line) });
    app.post('/orders/batch', (c) => {
      if (requests.length > 1) {
        return c.json({ orders: [{ kind: 'accepted', orderId: 'o-1' }] });
      }
      const refused = problem(503, 'unavailable');
      refused.headers.set('retry-after', '1');
      return refused;
    });
    const hasKey = line.includes('own');
    expect(await run('submit --lines orders.jsonl')).toMatchObject({ exitCode: hasKey ? 0 : 4 });
    expect(requests).toHaveLength(hasKey ? 2 : 1);
  },
);

test('an order is not ahead of itself, also where another step of it has waited for longer', async () => {
  const { app, run } = scenario();
  const held = (seconds: number) =>
    step('Held', { held: { gate: 'drained', since: at(-seconds), until: at(900) } });
  const own = order({ steps: { first: held(90), second: held(10) } });
  const hold = (name: string, seconds: number) => ({
    ...{ step: name, agent: 'payment', gate: 'drained', since: at(-seconds), until: at(900) },
  });
  app.get('/orders/:id', (c) => c.json(own));
  app.get('/orders', (c) =>
    c.json({
      orders: [{ ...own, held: [hold('first', 90), hold('second', 10)] }],
      ...{ cursor: null, asOf: at(0) },
    }),
  );
  const { stdout } = await run('limits explain o-1 --json');
  const { waits } = JSON.parse(stdout);
  expect(waits.map(({ ahead }: { ahead: { orders: number } }) => ahead.orders)).toEqual([0, 0]);
});

describe('dead letters', () => {
  /** Those with the given ids of orders and fates, whose actions take longer for the first ones. */
  function withDeadLetters(all: readonly (readonly [string, DeadLetterAction['kind']])[]) {
    const done: string[] = [];
    const deadLetters = all.map(([orderId, kind], place): DeadLetter => {
      const act = (what: string) => async () => {
        for (let turn = all.length; turn > place; turn -= 1) await Promise.resolve();
        done.push(`${what} ${place}`);
      };
      return {
        ...{ queue: 'Ready', kind: 'nudge', reason: 'x', subject: { orderId }, body: `b${place}` },
        fate: () => ({ kind, why: 'Because.' }),
        ...{ sendBack: act('sent'), discard: act('deleted'), release: act('released') },
      };
    });
    const world = scenario({
      aws: async () => ({
        outputs: async () => ({ ApiUrl: 'https://reeve.example.com', DeadLetters: '{}' }),
        signedFetch: async () => world.world.fetch,
        deadLetters: async () => ({ deadLetters, isComplete: true }),
      }),
    });
    return { ...world, done };
  }

  test('of a queue are handled one after the other, in their sequence', async () => {
    const { app, run, done } = withDeadLetters([
      ['o-1', 'redrive'],
      ['o-1', 'discard'],
      ['o-1', 'redrive'],
    ]);
    app.get('/orders/o-1', (c) => c.json(order()));
    await run('dlq redrive --yes --stack prod');
    expect(done).toEqual(['sent 0', 'deleted 1', 'sent 2']);
  });

  test.each(['order-unknown', 'order-id-malformed'])(
    'of an order that is %s have none',
    async (code) => {
      const { app, run } = withDeadLetters([['gone', 'discard']]);
      app.get('/orders/gone', () => problem(404, code));
      expect(await run('dlq --stack prod')).toMatchObject({ exitCode: 0 });
    },
  );

  test('are shown whole only where an operator must look at them', async () => {
    const { app, run } = withDeadLetters([
      ['o-1', 'keep'],
      ['o-1', 'discard'],
    ]);
    app.get('/orders/o-1', (c) => c.json(order()));
    const { deadLetters } = JSON.parse((await run('dlq --stack prod --json')).stdout);
    expect(deadLetters.map(({ body }: { body?: string }) => body)).toEqual(['b0', undefined]);
  });

  test.each(['dlq', 'dlq redrive', 'dlq redrive --yes'])(
    'are visible again where "%s" cannot read their orders',
    async (line) => {
      const { app, run, done } = withDeadLetters([
        ['o-1', 'redrive'],
        ['o-2', 'discard'],
      ]);
      app.get('/orders/:id', () => problem(500, 'internal'));
      expect(await run(`${line} --stack prod`)).toMatchObject({ exitCode: 4 });
      expect(done.toSorted()).toEqual(['released 0', 'released 1']);
    },
  );
});
