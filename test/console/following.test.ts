/** How a page follows the orders: which connections it makes, over a real API. The page runs in a process of its own. */
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { problem } from '#http/problem.ts';
import { onLoopback } from '../support/loopback.ts';
import { onPage } from './page.ts';

test('each sign-in connects once, also where a follower reads signals when it is refreshed', async () => {
  const found = await onPage(`
    startFollowing();
    startKnowing();
    const connections = [];
    await until(() => tokenWanted.value);
    for (const token of ['token-1', 'token-2', 'token-3']) {
      asked.length = 0;
      connection.value = 'connecting';
      giveToken(token);
      await until(() => connection.value === 'live' && principal.value?.name === token);
      // What else the change of the principal begins.
      await new Promise((resolve) => setImmediate(resolve));
      connections.push(asked.filter((path) => path === '/events').length);
    }
    print(connections);
  `);
  expect(found).toEqual([1, 1, 1]);
});

const refusedStream = JSON.stringify(problem('followers-full', 'Too many are open.'));

test.each([
  ['Reeve, which has too many streams, is polled and not offline', refusedStream, 'connecting'],
  ['a gateway is shown as offline', '<html>Service Unavailable</html>', 'offline'],
])('a page whose event stream is refused with 503 by %s', async (_, body, expected) => {
  const found = await onPage(`
    giveToken('token-1');
    answers.set('/events', () => new Response(${JSON.stringify(body)}, { status: 503 }));
    const seen = new Set();
    let refreshed = 0;
    follow({ refresh: () => { refreshed += 1; } });
    effect(() => { seen.add(connection.value); });
    startFollowing();
    const first = refreshed;
    while (asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
    print({ seen: [...seen].at(-1), isPolled: refreshed > first });
  `);
  expect(found).toEqual({ seen: expected, isPolled: expected === 'connecting' });
});

/** A proxy that begins an answer and never ends it. Its `/closed` says how many of those were closed by the page. */
async function endlessProxy(status: number): Promise<string> {
  let closed = 0;
  const server = createServer((asked, response) => {
    if (asked.url === '/closed') return void response.end(String(closed));
    response.writeHead(status, { 'content-type': 'text/html' });
    response.write('<html>');
    response.on('close', () => {
      closed += 1;
    });
  });
  const { url, close } = await onLoopback(server);
  onTestFinished(close);
  return url;
}

/** `turn`: one turn of the page, which is a second for its timers, unless it waits for the begin of an answer (`unbegun`). */
const throughProxy = (url: string) => `
  const { mock } = await import('node:test');
  mock.timers.enable({ apis: ['setTimeout'] });
  let unbegun = 0;
  const turn = () => {
    if (unbegun === 0) mock.timers.tick(1_000);
    return new Promise((resolve) => setImmediate(resolve));
  };
  const closed = async () => Number(await (await overNetwork('${url}/closed')).text());
  giveToken('token-1');
`;

test.each([
  [503, 'offline'],
  [500, 'connecting'],
  [404, 'polling'],
])(
  'a page whose event stream is refused with a %i that never ends is %s, and closes it',
  async (status, expected) => {
    const url = await endlessProxy(status);
    const found = await onPage(`
    ${throughProxy(url)}
    // Node closes an answer that is no longer in use; a browser need not.
    const held = [];
    answers.set('/events', async (init) => {
      unbegun += 1;
      const response = await overNetwork('${url}/events', init);
      unbegun -= 1;
      held.push(response);
      return response;
    });
    startFollowing();
    const isTriedAgain = () => asked.length > 1 || ${status === 404};
    while (!isTriedAgain() || (await closed()) === 0) await turn();
    print(connection.value);
  `);
    expect(found).toBe(expected);
  },
);

test('a document that is answered with a 503 that never ends is unreachable', async () => {
  const url = await endlessProxy(503);
  const found = await onPage(`
    ${throughProxy(url)}
    answers.set('/agents', (init) => overNetwork('${url}/agents', init));
    let answer = null;
    void get('/agents').then((given) => { answer = given; });
    while (answer === null || (await closed()) === 0) await turn();
    print({ answer, isAnswering: isAnswering.value });
  `);
  expect(found).toEqual({ answer: { kind: 'unreachable' }, isAnswering: false });
});

test('a 503 that the page breaks off says nothing about Reeve', async () => {
  const found = await onPage(`
    const ended = new AbortController();
    const body = () => new ReadableStream({
      pull(stream) {
        ended.abort();
        stream.error(ended.signal.reason);
      },
    }, { highWaterMark: 0 });
    answers.set('/events', () => new Response(body(), { status: 503 }));
    const response = await request('/events', { signal: ended.signal });
    print({ response, isAnswering: isAnswering.value });
  `);
  expect(found).toEqual({ response: null, isAnswering: true });
});

test('the console offers actions to those alone who may act', async () => {
  const found = await onPage(`
    const { mayOperate } = await import('#console/api/signed-in.ts');
    const roles = ['viewer', 'submitter', 'operator', 'iam', 'of a newer release'];
    const offered = [mayOperate()];
    for (const role of roles) {
      principal.value = { name: 'ada', role, tenant: null };
      offered.push(mayOperate());
    }
    print(offered);
  `);
  expect(found).toEqual([false, false, false, true, true, false]);
});

test('the clock of the page is that of the server where they differ, and its own within the precision of a header', async () => {
  const found = await onPage(`
    const { nowMs, serverSaid } = await import('#console/parts/server-clock.ts');
    const own = Date.UTC(2026, 0, 1, 12, 0, 0, 500);
    Date.now = () => own;
    const ahead = [];
    for (const ms of [-3_600_000, -1_000, 0, 1_000, 3_600_000, null]) {
      serverSaid(ms === null ? null : new Date(own + ms).toUTCString());
      ahead.push(nowMs() - own);
    }
    print(ahead);
  `);
  expect(found).toEqual([-3_600_000, 0, 0, 0, 3_600_000, 3_600_000]);
});

test.each([
  ['a 503 of a gateway', '() => new Response("<html>", { status: 503 })', true],
  ['no answer', '() => { throw new TypeError("fetch failed"); }', true],
  ['a page of a proxy', '() => new Response("<html>")', true],
  ['a 404', '() => Response.json({}, { status: 404 })', false],
  ['a 500', '() => Response.json({}, { status: 500 })', false],
])('a document that got %s is asked for again without an event: %s', async (_, answer, isAgain) => {
  const found = await onPage(`
    const { mock } = await import('node:test');
    const { signal } = await import('@preact/signals');
    const { keepLoaded } = await import('#console/api/keep-loaded.ts');
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    mock.timers.enable({ apis: ['setTimeout'] });
    let tries = 0;
    answers.set('/orders/o-1', () => {
      tries += 1;
      return tries === 1 ? (${answer})() : Response.json({ tries });
    });
    const loaded = signal();
    keepLoaded('/orders/o-1', { restMs: 150 }, loaded);
    for (let at = 0; at < 5; at += 1) await turn();
    mock.timers.tick(1_900);
    for (let at = 0; at < 5; at += 1) await turn();
    const early = tries;
    mock.timers.tick(200);
    for (let at = 0; at < 5; at += 1) await turn();
    print({ early, tries, kind: loaded.value.kind });
  `);
  expect(found).toEqual({
    early: 1,
    tries: isAgain ? 2 : 1,
    kind: isAgain ? 'shown' : 'refused',
  });
});

test('the principal is asked for again until there is an answer, and with each new token', async () => {
  const found = await onPage(`
    const { mock } = await import('node:test');
    const turns = async () => {
      for (let at = 0; at < 5; at += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    mock.timers.enable({ apis: ['setTimeout'] });
    let tries = 0;
    answers.set('/principal', ({ headers }) => {
      tries += 1;
      if (tries === 1) throw new TypeError('fetch failed');
      return Response.json({ name: headers.authorization ?? 'none', role: 'operator', tenant: null });
    });
    startKnowing();
    await turns();
    const first = principal.value;
    mock.timers.tick(2_000);
    await turns();
    const second = principal.value?.name;
    mock.timers.tick(1);
    giveToken('token-1');
    await turns();
    print({ first, second, third: principal.value?.name, tries });
  `);
  expect(found).toEqual({ first: null, second: 'none', third: 'Bearer token-1', tries: 3 });
});

test.each(['token-\u200b1', 'token-…', 'token-é'])(
  'a token with characters that none has (%j) is refused, and asked for again',
  async (token) => {
    const found = await onPage(`
      const { wasRefused } = await import('#console/api/session-token.ts');
      giveToken(${JSON.stringify(token)});
      const answer = await get('/workflows');
      print({ kind: answer.kind, isAnswering: isAnswering.value, isWanted: tokenWanted.value, refused: wasRefused() });
    `);
    expect(found).toEqual({ kind: 'refused', isAnswering: true, isWanted: true, refused: true });
  },
);

test('a refusal of the token before says nothing about the present one', async () => {
  const found = await onPage(`
    let refuse = () => {};
    answers.set('/workflows', (init) => init.headers.authorization === 'Bearer token-2'
      ? undefined
      : new Promise((resolve) => { refuse = () => resolve(Response.json({}, { status: 401 })); }));
    giveToken('former');
    const late = get('/workflows');
    giveToken('token-2');
    refuse();
    await late;
    const afterLate = tokenWanted.value;
    print({ afterLate, kind: (await get('/workflows')).kind });
  `);
  expect(found).toEqual({ afterLate: false, kind: 'ok' });
});

/** How often a page asks for a document that is refused so: by its period, and when the page is shown again; then with a new token. */
const refusedDocument = (status: number, code: string) => `
  const { mock } = await import('node:test');
  const { signal } = await import('@preact/signals');
  const { keepLoaded } = await import('#console/api/keep-loaded.ts');
  const turns = async () => {
    for (let at = 0; at < 5; at += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  let shown = () => {};
  document.addEventListener = (_, work) => { shown = work; };
  answers.set('/events', () => new Promise(() => {}));
  let tries = 0;
  answers.set('/activity', () => {
    tries += 1;
    return Response.json({ title: '', detail: '', code: '${code}' }, { status: ${status} });
  });
  startFollowing();
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  keepLoaded('/activity', { restMs: 1_000, everyMs: 5_000 }, signal());
  await turns();
  mock.timers.tick(5_000);
  await turns();
  shown();
  mock.timers.tick(5_000);
  await turns();
  const before = tries;
  giveToken('token-1');
  mock.timers.tick(5_000);
  await turns();
  print({ before, isAskedAgain: tries > before });
`;

test.each([
  ['for its tenant', 403, 'tenant-forbidden', 1],
  ['without a token', 401, 'unauthorized', 1],
  ['by a gateway', 403, 'unknown', 3],
])(
  'until the next sign-in, a document that is refused %s (%i, %s) is asked for %i times',
  async (_, status, code, times) => {
    const found = await onPage(refusedDocument(status, code));
    expect(found).toEqual({ before: times, isAskedAgain: true });
  },
);
