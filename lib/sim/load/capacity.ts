/** What the agent can take: the calls that end per second while its queues are never empty. */
import { requestCodec } from '#core/codec/message-codec.ts';
import {
  agentName,
  idempotencyKey,
  orderId as orderIdOf,
  stepName,
  workflowName,
} from '#core/model/ids.ts';
import type { Settle } from '#sim/world/virtual-time.ts';
import { invocationContext } from './load-context.ts';
import { bottleneck, type LoadSetting } from './load-setting.ts';
import { loadWorld } from './load-world.ts';

/** After the cold starts, ms. */
const fromMs = 5_000;
const forMs = 30_000;
const batchMax = 10;

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
    requests[number % requests.length]?.put([requestOf(number, timeline.now())]);
  }
  await timeline.runUntil(timeline.now() + fromMs);
  const before = services.ended();
  await timeline.runUntil(timeline.now() + forMs);
  return ((services.ended() - before) * 1_000) / forMs;
}

function requestOf(number: number, nowMs: number): string {
  const orderId = orderIdOf(`o-${number}`);
  const step = stepName('pay');
  const key = idempotencyKey(orderId, step, 'perform', 1);
  return requestCodec.encode({
    ...{ orderId, step, attempt: 1, action: 'perform', tenant: null, output: null },
    priority: 'normal',
    workflow: workflowName('sequence'),
    agent: agentName(bottleneck),
    idempotencyKey: key,
    performKey: key,
    completeWithinMs: 3_600_000,
    completeBy: nowMs + 3_600_000,
    endBy: nowMs + 3_600_000,
    input: { units: 1, from: [] },
  });
}
