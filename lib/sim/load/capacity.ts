/** What the agent can take: the calls that end per second while its queues are never empty. */
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import type { Settle } from '#sim/world/virtual-time.ts';
import { invocationContext } from './load-context.ts';
import { loadRequest } from './load-request.ts';
import { bottleneck, type LoadSetting } from './load-setting.ts';
import { loadWorld } from './load-world.ts';

/** After the cold starts, ms. */
const fromMs = 5_000;
const forMs = 30_000;
const batchMax = 10;
const request = {
  ...{ workflow: 'sequence', step: 'pay', agent: bottleneck, completeWithinMs: 3_600_000 },
  input: { units: 1, from: [] },
};

/** Orders per second. */
export async function capacityOf(setting: LoadSetting, settle: Settle): Promise<number> {
  const around = invocationContext(setting.seed, settle);
  const { timeline } = around;
  const { services, requests } = loadWorld({
    setting,
    around,
    onWrite() {},
    hasScheduler: false,
  });
  const calls = (setting.batches * batchMax * (fromMs + forMs)) / setting.callMs;
  for (let number = 0; number < 2 * calls; number += 1) {
    const sent = requestCodec.encode(loadRequest({ ...request, number }, timeline.now()));
    requests[number % requests.length]?.put([sent]);
  }
  await timeline.runUntil(timeline.now() + fromMs);
  const before = services.ended();
  await timeline.runUntil(timeline.now() + forMs);
  return ((services.ended() - before) * 1_000) / forMs;
}
