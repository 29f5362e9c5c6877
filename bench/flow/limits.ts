/** A service that allows a rate, with more orders than it allows: how near the rate its calls come, and that none passes it. */
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { rounded } from './figures.ts';
import { mostIn, overMax, usedMin } from './limit-bars.ts';
import { plainRequest } from './plain-request.ts';
import { silent } from './silent-log.ts';

/** The calls of the first second are not measured: the first one comes an interval after the start. */
const warmUpMs = 1_000;
const measuredMs = 10_000;
const callMs = 20;
/** @param perSecond the calls that the service allows per second */
export async function limits(perSecond: number) {
  const begun: number[] = [];
  const service = defineAgent({
    name: 'service',
    input: z.null(),
    output: z.null(),
    undo: 'unneeded',
    limits: { whole: { rate: { count: perSecond, per: 1_000 } } },
  });
  const work = defineWorkflow({ name: 'work', version: 1, details: z.null() })
    .step('call', { agent: service, input: () => null })
    .build();
  const reeve = await startLocalReeve({
    workflows: [work],
    agents: [
      {
        contract: service,
        async perform() {
          begun.push(systemClock.now());
          await sleep(callMs);
          return null;
        },
      },
    ],
    path: ':memory:',
    clock: systemClock,
    random: systemRandom,
    log: silent,
  });
  const order = { ...plainRequest, workflow: 'work', details: null };
  const ends = { failures: 0 };
  reeve.watch(({ failureCount }) => {
    ends.failures = Math.max(ends.failures, failureCount);
  });
  try {
    const orders = Math.ceil((perSecond * (warmUpMs + measuredMs) * 1.2) / 1_000) + 20;
    for (let count = 0; count < orders; count += 1) {
      await reeve.submission.submit(order, 'bench');
    }
    const from = systemClock.now() + warmUpMs;
    await sleep(warmUpMs + measuredMs);
    const calls = begun.filter((at) => at >= from && at < from + measuredMs);
    const used = calls.length / ((perSecond * measuredMs) / 1_000);
    const most = mostIn(1_000, begun);
    const allowed = perSecond * (1 + overMax) + 1;
    return {
      perSecond,
      orders,
      usedPercent: rounded(100 * used),
      mostInASecond: most,
      allowedInASecond: Math.floor(allowed),
      failures: ends.failures,
      isPassed: used >= usedMin && most <= allowed && ends.failures === 0,
    };
  } finally {
    reeve.close();
  }
}
