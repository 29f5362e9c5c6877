/** `GET /healthz` and `GET /readyz`: what each condition means for liveness and for traffic. */
import { expect, test } from 'vitest';
import { api } from '#http/api.ts';
import type { ApiPorts } from '#http/api-ports.ts';
import { scenario } from './scenario.ts';

type Conditions = Partial<ApiPorts>;

const isTrue = () => true;
const never: Conditions = { lastSweepAt: () => null };

test.each<[string, Conditions, string, readonly string[], number, number]>([
  ['nothing', {}, 'ready', [], 200, 200],
  ['its recovery', { isStarting: isTrue }, 'starting', [], 200, 200],
  ['a load that is too high', { isOverloaded: isTrue }, 'overloaded', ['overloaded'], 200, 200],
  ['an unavailable service', { isCircuitOpen: isTrue }, 'degraded', ['circuit-open'], 200, 200],
  [
    'both of them',
    { isCircuitOpen: isTrue, isOverloaded: isTrue },
    'degraded',
    ['circuit-open', 'overloaded'],
    200,
    200,
  ],
  ['no sweep yet', never, 'degraded', ['sweep-late'], 503, 200],
  ['no sweep of late', { lastSweepAt: () => 0 }, 'degraded', ['sweep-late'], 503, 200],
  ['damaged data', { damaged: () => 1 }, 'degraded', ['store-damaged'], 503, 200],
  ['a full disk', { refusal: () => 'store-full' }, 'degraded', ['store-full'], 503, 503],
  [
    'a fault of its own during the recovery',
    { isStarting: isTrue, damaged: () => 2, refusal: () => 'store-full' },
    'degraded',
    ['store-damaged', 'store-full'],
    503,
    503,
  ],
  ['its stop', { isStopping: isTrue }, 'stopping', [], 200, 503],
  ['its stop amid its start', { isStopping: isTrue, isStarting: isTrue }, 'stopping', [], 200, 503],
])('with %s', async (_, conditions, status, causes, alive, ready) => {
  const { get } = await scenario((ports) => ({ ...ports, ...conditions }));
  for (const [path, code] of [
    ['/healthz', alive],
    ['/readyz', ready],
  ] as const) {
    const response = await get(path);
    expect([path, response.status]).toEqual([path, code]);
    expect(await response.json()).toMatchObject({ status, causes });
    expect(response.headers.get('retry-after')).toBe(code === 503 ? '1' : null);
  }
});

test('orders are accepted during the recovery', async () => {
  const starting = await scenario((ports) => ({ ...ports, isStarting: isTrue }));
  expect((await starting.submit()).status).toBe(202);
});

test('a function on AWS, which no load balancer asks, has no readiness', async () => {
  const { get } = await scenario(undefined, api);
  expect((await get('/readyz')).status).toBe(404);
});
