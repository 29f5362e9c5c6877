/** Which events of the log have a metric. */
import { expect, test } from 'vitest';
import type { Log } from '#ports/log.ts';
import { metered, publishedOnDemand } from '../../lambdas/metered.ts';
import { onDemand } from '../../lambdas/on-demand.ts';
import { testLog } from '../support/log.ts';
import { publishedMetrics } from '../support/published-metrics.ts';

/** The lines and the metrics of what is logged. */
function publishedBy(write: (log: Log) => void) {
  const log = testLog();
  const published: object[] = [];
  write(metered(log, (values) => void published.push(values)));
  return { events: log.lines.map(({ event }) => event), published };
}

const agent = 'tax';
const call = { orderId: 'one', step: 'tax', attempt: 1, agent, error: 'Error', code: null };

test('an order that waits for long has the metric of how long it waits, in seconds', () => {
  const fields = { agent, gate: 'circuit', heldMs: 900_500 };
  expect(publishedBy((log) => log.warn('held-for-long', fields))).toEqual({
    events: ['held-for-long'],
    published: [{ HeldAge: 900.5 }],
  });
});

test('an endpoint that fails and may not be ejected has the metric of an unavailable service', () => {
  const fields = { agent, endpoint: 'north' };
  expect(publishedBy((log) => log.error('endpoint-not-ejected', fields))).toEqual({
    events: ['endpoint-not-ejected'],
    published: [{ AgentsUnavailable: 1 }],
  });
});

test('a message that could not be delivered for a quarter of an hour has the metric of how long it has waited, in seconds', () => {
  const waited = (waitedMs: number) =>
    publishedBy((log) =>
      log.warn('notification-failed', { orderId: 'one', error: 'unknown', waitedMs }),
    ).published.filter((values) => Object.values(values).some((value) => value > 0));
  expect(waited(900_000)).toEqual([{ UndeliveredAge: 900 }]);
  expect(waited(899_999)).toEqual([]);
});

test('messages that were returned often have the metric of how often they were received', () => {
  const fields = { queue: 'shop_ready_normal', messages: 2, receives: 42 };
  expect(publishedBy((log) => log.warn('messages-returned', fields)).published).toEqual([
    { MessageReceives: 42 },
  ]);
});

test('other events are logged without a metric', () => {
  const seen = publishedBy((log) => {
    log.info('circuit-closed', { agent, openMs: 1 });
    log.warn('endpoint-ejected', { agent, endpoint: 'north', ejectedMs: 5_000, count: 1 });
    log.warn('call-failed', call);
    log.error('circuit-opened', { agent });
    log.error('message-failed', { error: 'Error' });
  });
  expect(seen.events).toHaveLength(5);
  expect(seen.published).toEqual([]);
});

test('metrics whose code cannot be loaded fail one invocation, and later ones are published', async () => {
  const seen: object[] = [];
  let loads = 0;
  const { publish, published } = publishedOnDemand(async () => {
    loads += 1;
    if (loads === 1) throw new Error('The file cannot be read.');
    return { publish: (values) => void seen.push(values) };
  });
  publish({ HeldAge: 900.5 });
  await expect(published()).rejects.toThrow('cannot be read');
  await published();
  publish({ AgentsUnavailable: 1 });
  await published();
  expect(seen).toEqual([{ AgentsUnavailable: 1 }]);
});

test('what is loaded on demand is loaded once, and again where that failed', async () => {
  let loads = 0;
  const loaded = onDemand(async () => {
    loads += 1;
    if (loads === 1) throw new Error('The file cannot be read.');
    return loads;
  });
  const first = await Promise.allSettled([loaded(), loaded()]);
  expect(first.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await Promise.all([loaded(), loaded()])).toEqual([2, 2]);
  expect(await loaded()).toBe(2);
});

test('metrics on demand are all published when the function ends', async () => {
  const seen = publishedMetrics();
  const { publish, published } = publishedOnDemand();
  publish({ AgentsUnavailable: 1 });
  publish({ HeldAge: 900.5 });
  await published();
  expect(seen()).toEqual([{ AgentsUnavailable: 1 }, { HeldAge: 900.5 }]);
});
