/** Which events of the log have a metric. */
import { expect, test } from 'vitest';
import type { Log } from '#ports/log.ts';
import { metered, publishedOnDemand } from '../../lambdas/metered.ts';
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

test('metrics on demand are all published when the function ends', async () => {
  const seen = publishedMetrics();
  const { publish, published } = publishedOnDemand();
  publish({ AgentsUnavailable: 1 });
  publish({ HeldAge: 900.5 });
  await published();
  expect(seen()).toEqual([{ AgentsUnavailable: 1 }, { HeldAge: 900.5 }]);
});
