/** What a page does with its stream of events, with the documents that it keeps, and with what the browser says of it. */
import { expect, test } from 'vitest';
import { onPage } from './page.ts';

/** Timers that pass only when the test says so, by their times, ms. */
const timers = `
  const timer = setTimeout;
  const pending = new Map();
  const set = (work, ms) => {
    const id = {};
    pending.set(id, { work, ms });
    return id;
  };
  Object.defineProperty(globalThis, 'setTimeout', { value: set });
  Object.defineProperty(globalThis, 'clearTimeout', { value: (id) => void pending.delete(id) });
  const timesOf = (ms) => [...pending].filter(([, one]) => one.ms === ms);
  const fire = (ms) => {
    for (const [id, { work }] of timesOf(ms)) { pending.delete(id); work(); }
  };
  const soon = async (isSo) => {
    for (let turn = 0; turn < 1_000 && !isSo(); turn += 1) await new Promise((done) => timer(done, 1));
    return isSo();
  };
`;

/** A stream that the test writes to, which ends as those of a browser do. `count`: of the streams that were opened. */
const stream = `
  let count = 0;
  let write = () => {};
  const signals = [];
  answers.set('/events', ({ signal }) => {
    count += 1;
    signals.push(signal);
    const body = new ReadableStream({
      start(controller) {
        write = (text) => controller.enqueue(new TextEncoder().encode(text));
        signal.addEventListener('abort', () => controller.error(signal.reason));
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  let refreshed = 0;
  follow({ refresh: () => { refreshed += 1; } });
`;

test('where changes were missed, the page reads again', async () => {
  const found = await onPage(`${timers}${stream}
    startFollowing();
    await until(() => connection.value === 'live');
    const before = refreshed;
    write('event: missed\\ndata: {"orders":6}\\n\\n');
    print(await soon(() => refreshed > before));
  `);
  expect(found).toBe(true);
});

test('each byte of a stream begins its silence anew; after one of 40 s it is opened again', async () => {
  const found = await onPage(`${timers}${stream}
    startFollowing();
    await until(() => connection.value === 'live');
    const [[first]] = timesOf(40_000);
    write(':\\n\\n');
    const isAnew = await soon(() => !pending.has(first));
    const left = timesOf(40_000).length;
    fire(40_000);
    await soon(() => timesOf(500).length > 0);
    fire(500);
    print([isAnew, left, await soon(() => count === 2)]);
  `);
  expect(found).toEqual([true, 1, true]);
});

test('a hidden page is not read again, until it is shown', async () => {
  const found = await onPage(`${timers}${stream}
    let shown = () => {};
    document.addEventListener = (_, work) => { shown = work; };
    startFollowing();
    await until(() => connection.value === 'live');
    const before = refreshed;
    document.visibilityState = 'hidden';
    shown();
    const whileHidden = refreshed - before;
    document.visibilityState = 'visible';
    shown();
    print([whileHidden, refreshed - before]);
  `);
  expect(found).toEqual([0, 1]);
});

test('changes that wait for a frame are given when the page is hidden', async () => {
  const found = await onPage(`${timers}${stream}
    // A hidden page has no frames.
    globalThis.requestAnimationFrame = () => 0;
    let hidden = () => {};
    document.addEventListener = (_, work) => { hidden = work; };
    const given = [];
    follow({ refresh() {}, changes: (batch) => { given.push([...batch.keys()]); } });
    startFollowing();
    await until(() => connection.value === 'live');
    const [[silence]] = timesOf(40_000);
    write('event: order\\ndata: ' + JSON.stringify({ orderId: 'one', revision: 2 }) + '\\n\\n');
    // The next piece is read, so the first one was.
    await soon(() => !pending.has(silence));
    const early = given.length;
    document.visibilityState = 'hidden';
    hidden();
    print({ early, given });
  `);
  expect(found).toEqual({ early: 0, given: [['one']] });
});

test('a hidden page has no event stream: browsers have six connections to a server for all of their tabs', async () => {
  const found = await onPage(`${timers}${stream}
    let turned = () => {};
    document.addEventListener = (_, work) => { turned = work; };
    const turn = (visibilityState) => {
      Object.assign(document, { visibilityState });
      turned();
    };
    startFollowing();
    await until(() => connection.value === 'live');
    turn('hidden');
    const closed = signals.map(({ aborted }) => aborted);
    // Neither its end nor another sign-in opens another one.
    giveToken('token-1');
    await soon(() => timesOf(40_000).length === 0);
    const whileHidden = { count, waits: pending.size, says: connection.value };
    const before = refreshed;
    turn('visible');
    await until(() => connection.value === 'live');
    print({ closed, whileHidden, count, isRead: refreshed > before });
  `);
  expect(found).toEqual({
    closed: [true],
    whileHidden: { count: 1, waits: 0, says: 'connecting' },
    ...{ count: 2, isRead: true },
  });
});

test('a page that is opened in the background connects when it is shown', async () => {
  const found = await onPage(
    `${timers}${stream}
    let turned = () => {};
    document.addEventListener = (_, work) => { turned = work; };
    startFollowing();
    const early = count;
    document.visibilityState = 'visible';
    turned();
    await until(() => connection.value === 'live');
    print({ early, count });
  `,
    'hidden',
  );
  expect(found).toEqual({ early: 0, count: 1 });
});

test('a stream that does not begin within 15 s is tried again, and the page is read meanwhile', async () => {
  const found = await onPage(`${timers}${stream}
    const opened = answers.get('/events');
    let tries = 0;
    answers.set('/events', (init) => {
      tries += 1;
      if (tries > 1) return opened(init);
      return new Promise((_, reject) => {
        init.signal.addEventListener('abort', () => reject(init.signal.reason));
      });
    });
    startFollowing();
    await soon(() => timesOf(15_000).length > 0);
    const before = refreshed;
    fire(15_000);
    await soon(() => timesOf(1_000).length > 0);
    const isRead = refreshed > before;
    fire(1_000);
    print([isRead, await soon(() => connection.value === 'live'), timesOf(15_000).length]);
  `);
  expect(found).toEqual([true, true, 0]);
});

test.each([
  [
    'begins',
    '() => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))',
  ],
  [
    'ends',
    '() => new Response(new ReadableStream({ start: (body) => signal.addEventListener("abort", () => body.error(signal.reason)) }))',
  ],
])('an answer that never %s is broken off, and Reeve does not answer', async (_, answer) => {
  const found = await onPage(`${timers}
    const { post } = await import('#console/api/api-client.ts');
    answers.set('/orders/o-1', ({ signal }) => (${answer})());
    const given = [];
    const keep = (one) => { given.push(one.kind); };
    void get('/orders/o-1').then(keep);
    void post('/orders/o-1', null).then(keep);
    await soon(() => timesOf(35_000).length === 2);
    const early = given.length;
    fire(35_000);
    await soon(() => given.length === 2);
    print({ early, given, isAnswering: isAnswering.value });
  `);
  expect(found).toEqual({
    early: 0,
    given: ['unreachable', 'unreachable'],
    isAnswering: false,
  });
});

test('the waits between two tries grow up to ten seconds', async () => {
  const found = await onPage(`
    const timer = setTimeout;
    const waits = [];
    Object.defineProperty(globalThis, 'setTimeout', {
      value: (work, ms) => {
        // That of a stream which does not begin.
        if (ms === 15_000) return timer(work, ms);
        if (ms >= 500) waits.push(ms);
        return timer(work, 0);
      },
    });
    answers.set('/events', () => { throw new TypeError('fetch failed'); });
    startFollowing();
    while (waits.length < 8) await new Promise((resolve) => timer(resolve, 1));
    print(waits.slice(0, 8));
  `);
  expect(found).toEqual([1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000, 10_000]);
});

test('with a new token the page reads again, asks for none, and sends it with each request', async () => {
  const found = await onPage(`${timers}${stream}
    const sent = [];
    for (const path of ['/orders', '/orders/o-1/cancel'])
      answers.set(path, ({ headers, cache }) => {
        sent.push([headers.authorization, cache]);
        return Response.json({ orders: [] });
      });
    const { post } = await import('#console/api/api-client.ts');
    startFollowing();
    tokenWanted.value = true;
    const before = refreshed;
    giveToken('token-1');
    const read = refreshed - before;
    await get('/orders');
    await post('/orders/o-1/cancel', null);
    print({ read: read > 0, isWanted: tokenWanted.value, sent });
  `);
  expect(found).toEqual({
    ...{ read: true, isWanted: false },
    sent: Array.from({ length: 2 }, () => ['Bearer token-1', 'no-store']),
  });
});

test('of the documents that were read, the latest thirty are kept', async () => {
  const found = await onPage(`
    const known = [];
    for (let at = 0; at <= 30; at += 1)
      answers.set('/orders/' + at, ({ headers }) => {
        if ('if-none-match' in headers) known.push(at);
        return Response.json({ at }, { headers: { etag: '"' + at + '"' } });
      });
    for (let at = 0; at <= 30; at += 1) await get('/orders/' + at);
    for (const at of [0, 2, 30]) await get('/orders/' + at);
    print(known);
  `);
  // Reading the first one again has taken the place of the second.
  expect(found).toEqual([2, 30]);
});
