/** How long a command waits for a Reeve that refuses or does not answer, and what it says meanwhile. */
import { expect, test } from 'vitest';
import { at, look, looks, order, problem, processed, scenario, terminal } from './scenario.ts';

const later = (code: string, seconds: number) => {
  const refused = problem(503, code);
  refused.headers.set('retry-after', String(seconds));
  return refused;
};

/** Lists so many orders, and answers each action with what `answer` returns. */
function many(
  count: number,
  answer: (id: string, asked: number) => Response | Promise<Response>,
  changes: Parameters<typeof scenario>[0] = {},
) {
  const given = scenario(changes);
  const orders = Array.from({ length: count }, (_, place) => order({ orderId: `o-${place}` }));
  given.app.get('/orders', (c) => {
    const isPending = c.req.query('state') === 'Pending';
    return c.json({ orders: isPending ? orders : [], cursor: null, asOf: at(0) });
  });
  let asked = 0;
  given.app.post('/orders/:id/:action', (c) => {
    asked += 1;
    return answer(c.req.param('id'), asked);
  });
  return given;
}
const done = (id: string) => Response.json({ orderId: id, processState: 'Pending' });

test('a cancel of a listed revision is sent again after a 503 with its time', async () => {
  const { run, requests } = many(1, (id, asked) =>
    asked < 3 ? later('unavailable', 1) : done(id),
  );
  expect(await run('cancel --workflow w --yes')).toMatchObject({ exitCode: 0 });
  expect(requests.filter(({ method }) => method === 'POST')).toHaveLength(3);
});

test('notices of requests that wait at the same time come as one, on a line of their own', async () => {
  const { run } = many(
    3,
    (id, asked) => (asked <= 3 ? later('overloaded', 1) : done(id)),
    terminal,
  );
  const { exitCode, stderr } = await run('cancel --workflow w --yes');
  expect(exitCode).toBe(0);
  expect(stderr.match(/Refused for now/g)).toHaveLength(1);
  // Where the progress bar was.
  expect(stderr).toContain('\r\u001b[2KRefused for now (overloaded)');
});

test('while one request waits for its next try, no further one takes its turn', async () => {
  const sequence: string[] = [];
  // Long enough that others would be sent meanwhile.
  const sleep = async () => {
    for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const { run } = many(
    20,
    (id, asked) => {
      sequence.push(id);
      return asked === 1 ? later('overloaded', 30) : done(id);
    },
    { sleep },
  );
  await run('cancel --workflow w --yes');
  // Those that were sent already are answered; then the first one is next.
  expect(sequence.indexOf('o-0', 1)).toBeLessThanOrEqual(8);
});

test('at most eight requests of a bulk action are under way', async () => {
  let [now, most] = [0, 0];
  const { run } = many(40, async (id) => {
    now += 1;
    most = Math.max(most, now);
    await new Promise((resolve) => setImmediate(resolve));
    now -= 1;
    return done(id);
  });
  expect(await run('cancel --workflow w --yes')).toMatchObject({ exitCode: 0 });
  expect(most).toBe(8);
});

test.each([
  [['done', 'done'], 0],
  [['done', 'refused'], 3],
  [['done', 'failed'], 4],
  [['refused', 'failed'], 4],
])('a bulk action with %j exits with %i', async (kinds, exitCode) => {
  const { run } = many(kinds.length, (id) => {
    const kind = kinds[Number(id.slice(2))];
    if (kind === 'refused') return problem(409, 'ended');
    return kind === 'failed' ? problem(500, 'internal') : done(id);
  });
  expect(await run('cancel --workflow w --yes')).toMatchObject({ exitCode });
  expect(await run('cancel --workflow w --yes --json')).toMatchObject({ exitCode });
});

test('an order that is refused while it is followed ends the command at once', async () => {
  const { app, run, sleeps } = scenario();
  looks(app, look(), () => problem(404, 'order-unknown'), look(processed));
  expect(await run('show o-1 --watch')).toMatchObject({ exitCode: 3 });
  expect(sleeps).toHaveLength(1);
});

test('the pages of a bulk action are asked for again after a 503 with its time', async () => {
  const { app, run, requests } = scenario();
  const page = (cursor: string | null) => Response.json({ orders: [], cursor, asOf: at(0) });
  // The end of the selection, each page of it, and what has changed meanwhile.
  const answers = [
    ...[later('unavailable', 1), page(null), page('next'), later('unavailable', 1)],
    ...[page(null), page(null), page(null)],
    ...[later('unavailable', 1), page(null), page(null), page(null), page(null)],
  ];
  app.get('/orders', () => answers[requests.length - 1] ?? problem(500, 'internal'));
  expect(await run('cancel --workflow w')).toMatchObject({ exitCode: 0, stdout: 'No orders.\n' });
  expect(requests).toHaveLength(answers.length);
});

test('an error after some pages has a line of its own', async () => {
  const { app, run } = scenario(terminal);
  app.get('/orders', (c) =>
    c.req.query('cursor') === undefined
      ? c.json({ orders: [order()], cursor: 'next', asOf: at(0) })
      : problem(500, 'internal'),
  );
  const { exitCode, stdout } = await run('cancel --workflow w');
  expect([exitCode, stdout]).toEqual([4, expect.stringContaining('1 orders found')]);
  expect(stdout.endsWith('\r\u001b[2K')).toBe(true);
});

test('a machine that has slept since the last look gives Reeve the whole patience', async () => {
  let nowMs = Date.parse(at(0));
  const { app, run } = scenario({
    now: () => nowMs,
    sleep: async (ms) => {
      // In the first wait between two looks, the laptop is closed.
      nowMs += nowMs === Date.parse(at(0)) ? 3_600_000 : ms;
    },
  });
  const away = () => problem(503, 'unavailable');
  looks(app, look(), away, away, look(processed));
  const { exitCode, stderr } = await run('show o-1 --watch');
  expect(exitCode).toBe(0);
  expect(stderr).toBe('Reeve does not answer; trying again …\n');
});

test('each outage is said once', async () => {
  const { app, run } = scenario();
  const away = () => problem(500, 'internal');
  looks(app, look(), away, away, look({ revision: 2 }), away, away, look(processed));
  const { exitCode, stderr } = await run('show o-1 --watch');
  expect(exitCode).toBe(0);
  expect(stderr.match(/Reeve does not answer/g)).toHaveLength(2);
});
