/** The choice among the endpoints of one service. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Endpoint, type EndpointPool, endpointPool } from '#core/flow/endpoint-pool.ts';
import { randoms } from '../support/randoms.ts';

const none: ReadonlySet<string> = new Set();
const four: readonly Endpoint[] = ['a', 'b', 'c', 'd'].map((url) => ({ url }));

interface Load {
  readonly pool: EndpointPool;
  readonly fromMs: number;
  readonly forMs: number;
  /** How a call to this endpoint ends: after how many ms, and whether it is answered. */
  readonly service: (url: string, atMs: number) => readonly [ms: number, isAnswered: boolean];
}

/** A call each 5 ms, 200 per second; returns how many each endpoint got. */
function calls({ pool, fromMs, forMs, service }: Load): Map<string, number> {
  const random = randoms();
  const ends: { at: number; end: () => void }[] = [];
  const counts = new Map<string, number>();
  for (let at = fromMs; at < fromMs + forMs; at += 5) {
    ends.sort((one, other) => one.at - other.at);
    while (ends[0] !== undefined && ends[0].at <= at) ends.shift()?.end();
    const call = pool.choose(at, random, none);
    counts.set(call.url, (counts.get(call.url) ?? 0) + 1);
    const [ms, isAnswered] = service(call.url, at);
    const endAt = at + ms;
    ends.push({
      at: endAt,
      end: () => (isAnswered ? call.answered(endAt) : call.failed(endAt, 2_000)),
    });
  }
  for (const { end } of ends) end();
  return counts;
}

/** The endpoints that are not called. */
const ejected = (pool: EndpointPool, nowMs: number) =>
  pool.status(nowMs).flatMap(({ ejection }) => ejection ?? []);

const shareOf = (counts: ReadonlyMap<string, number>, url: string) =>
  (counts.get(url) ?? 0) / [...counts.values()].reduce((sum, count) => sum + count, 0);

test('equal endpoints get equal parts, and others by their weights', () => {
  const equal = calls({
    pool: endpointPool(four),
    fromMs: 0,
    forMs: 20_000,
    service: () => [50, true],
  });
  for (const { url } of four) expect(shareOf(equal, url)).toBeCloseTo(0.25, 1);
  const weighted = calls({
    pool: endpointPool([{ url: 'a', weight: 3 }, { url: 'b' }]),
    fromMs: 0,
    forMs: 20_000,
    service: () => [50, true],
  });
  expect(shareOf(weighted, 'a')).toBeGreaterThan(0.65);
  expect(shareOf(weighted, 'a')).toBeLessThan(0.85);
});

test.each([
  ['fails at once', () => [1, false] as const, 1_000],
  ['never answers', () => [2_000, false] as const, 3_000],
  ['is 20 times as slow', () => [1_000, true] as const, 5_000],
  ['fails half of the time', (at: number) => [50, at % 10 === 0] as const, 1_000],
])(
  'an endpoint that %s gets under 5 %% of the calls soon, and under 2 %% after 5 s',
  (_, failing, soonMs) => {
    const pool = endpointPool(four);
    const healthy = () => [50, true] as const;
    calls({ pool, fromMs: 0, forMs: 10_000, service: healthy });
    const service = (url: string, at: number) => (url === 'b' ? failing(at) : healthy());
    calls({ pool, fromMs: 10_000, forMs: soonMs, service });
    const then = calls({ pool, fromMs: 10_000 + soonMs, forMs: 1_000, service });
    expect(shareOf(then, 'b')).toBeLessThan(0.05);
    const later = calls({ pool, fromMs: 15_000 + soonMs, forMs: 20_000, service });
    expect(shareOf(later, 'b')).toBeLessThan(0.02);
  },
);

test('an endpoint that fails fast is not taken for a fast one (linkerd2-proxy #4537)', () => {
  const pool = endpointPool([{ url: 'a' }, { url: 'b' }, { url: 'c' }]);
  const service = (url: string) => (url === 'b' ? ([1, false] as const) : ([100, true] as const));
  const counts = calls({ pool, fromMs: 0, forMs: 5_000, service });
  expect(shareOf(counts, 'b')).toBeLessThan(0.02);
});

test('a failed call counts with the time that it had, not with the time that it took', () => {
  const pool = endpointPool([{ url: 'a' }, { url: 'b' }]);
  pool.choose(0, randoms(), new Set(['b'])).answered(100);
  pool.choose(0, randoms(), new Set(['a'])).failed(1, 2_000);
  expect(pool.status(100).map(({ latencyMs }) => latencyMs)).toEqual([100, 2_000]);
  for (let seed = 1; seed < 20; seed += 1) {
    const call = pool.choose(100, randoms(seed), none);
    expect(call.url).toBe('a');
    call.answered(200);
  }
});

test('an endpoint that is healthy again gets its part of the calls again', () => {
  const pool = endpointPool(four);
  const service = (url: string, at: number) =>
    url === 'b' && at < 5_000 ? ([1, false] as const) : ([50, true] as const);
  calls({ pool, fromMs: 0, forMs: 60_000, service });
  const counts = calls({ pool, fromMs: 60_000, forMs: 20_000, service });
  expect(shareOf(counts, 'b')).toBeCloseTo(0.25, 1);
});

test('latencies alone eject no endpoint', () => {
  const pool = endpointPool(four);
  const random = randoms(7);
  // One call in a hundred takes forty times as long.
  const service = () => [random() < 0.01 ? 2_000 : 50, true] as const;
  for (let minute = 0; minute < 60; minute += 1) {
    calls({ pool, fromMs: minute * 60_000, forMs: 60_000, service });
    expect(ejected(pool, minute * 60_000 + 60_000)).toEqual([]);
  }
});

test('the ejections of one endpoint take longer and longer, up to a minute', () => {
  const pool = endpointPool(four);
  const random = randoms();
  const took: number[] = [];
  let at = 0;
  while (took.length < 14) {
    // All others were tried, so that it is called.
    const call = pool.choose(at, random, new Set(['b', 'c', 'd']));
    call.failed(at, 1_000);
    const [ejection] = ejected(pool, at);
    if (ejection === undefined) continue;
    expect(ejection).toMatchObject({ url: 'a', count: took.length + 1 });
    took.push((ejection.until - at) / 1_000);
    at = ejection.until;
  }
  expect(took).toEqual([5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 60, 60]);
});

test('at most half of the weight is ejected, by its own calls and by those of others (R26)', () => {
  const moves = fc.array(
    fc.record({ isAnswered: fc.boolean(), ms: fc.nat(500), other: fc.option(fc.nat(4)) }),
    { maxLength: 300 },
  );
  const weights = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(weights, moves, (each, steps) => {
      const pool = endpointPool(each.map((weight, at) => ({ url: `e${at}`, weight })));
      const random = randoms();
      const total = each.reduce((sum, weight) => sum + weight, 0);
      let at = 0;
      const ejectedWeight = (nowMs: number) =>
        ejected(pool, nowMs).reduce((sum, { url }) => sum + (each[Number(url.slice(1))] ?? 0), 0);
      for (const { isAnswered, ms, other } of steps) {
        if (other !== null) pool.adopt([{ url: `e${other}`, until: at + 5_000, count: 1 }], at);
        const call = pool.choose(at, random, none);
        at += ms;
        if (isAnswered) call.answered(at);
        else call.failed(at, 1_000);
        expect(ejectedWeight(at)).toBeLessThanOrEqual(total / 2);
      }
    }),
  );
});

test('a clock that was set back ejects no endpoint for longer', () => {
  const pool = endpointPool(four);
  const hourMs = 3_600_000;
  for (let count = 0; count < 3; count += 1) {
    pool.choose(hourMs, randoms(), new Set(['b', 'c', 'd'])).failed(hourMs, 1_000);
  }
  expect(ejected(pool, hourMs)).toEqual([{ url: 'a', until: hourMs + 5_000, count: 1 }]);
  expect(ejected(pool, 0)).toEqual([]);
  const service = () => [50, true] as const;
  const counts = calls({ pool, fromMs: 0, forMs: 60_000, service });
  for (const { url } of four) expect(shareOf(counts, url)).toBeGreaterThan(0.15);
});

test('an endpoint that fails and may not be ejected is reported once, until it is healthy again', () => {
  const pool = endpointPool([{ url: 'a' }, { url: 'b' }]);
  const end = (url: string, isAnswered: boolean) => {
    const others = new Set(['a', 'b'].filter((other) => other !== url));
    const call = pool.choose(0, randoms(), others);
    return (isAnswered ? call.answered(0) : call.failed(0, 1_000)).kind;
  };
  const three = (url: string) => [1, 2, 3].map(() => end(url, false));
  expect(three('a')).toEqual(['unchanged', 'unchanged', 'ejected']);
  expect(three('b')).toEqual(['unchanged', 'unchanged', 'not-ejected']);
  expect(three('b')).toEqual(['unchanged', 'unchanged', 'unchanged']);
  expect(pool.status(0).map(({ state }) => state)).toEqual(['ejected', 'failing']);
  expect(end('b', true)).toBe('unchanged');
  expect(pool.status(0).map(({ state }) => state)).toEqual(['ejected', 'healthy']);
  expect(three('b')).toEqual(['unchanged', 'unchanged', 'not-ejected']);
});

test('what another process has ejected is not called', () => {
  const pool = endpointPool(four);
  const ejection = { url: 'b', until: 10_000, count: 2 };
  pool.adopt([ejection, { url: 'gone', until: 10_000, count: 1 }], 0);
  expect(ejected(pool, 0)).toEqual([ejection]);
  const service = () => [50, true] as const;
  expect(calls({ pool, fromMs: 0, forMs: 9_000, service }).has('b')).toBe(false);
  expect(calls({ pool, fromMs: 30_000, forMs: 9_000, service }).has('b')).toBe(true);
});

test.each([
  ['that has ended', 1_000],
  ['that no correct clock can have written', 10_000_000],
])('an ejection %s is not adopted', (_, until) => {
  const pool = endpointPool(four);
  pool.adopt([{ url: 'b', until, count: 1 }], 2_000);
  expect(ejected(pool, 2_000)).toEqual([]);
});

test('the status of an endpoint has its calls in flight and the latency of the latest ones', () => {
  const pool = endpointPool([{ url: 'a' }]);
  const status = { url: 'a', state: 'healthy', ejection: null };
  expect(pool.status(0)).toEqual([{ ...status, inFlight: 0, latencyMs: null }]);
  const call = pool.choose(0, randoms(), none);
  expect(pool.status(0)).toEqual([{ ...status, inFlight: 1, latencyMs: null }]);
  call.answered(70);
  expect(pool.status(70)).toEqual([{ ...status, inFlight: 0, latencyMs: 70 }]);
});
