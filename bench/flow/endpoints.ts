/** One of the four endpoints of a service dies, in one process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { type AgentImplementation, TransientFault } from '#ports/agent-implementation.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import type { Death, EndpointCallSeen } from '#sim/load/endpoint-deaths.ts';
import { endpointFigures } from '#sim/load/endpoint-figures.ts';
import { plainRequest } from './plain-request.ts';
import { silent } from './silent-log.ts';

const callsPerSecond = 600;
const completeWithin = 2_000;
/** How long a call takes, ms. */
const callMs = { least: 20, most: 60 };
const slowestOf = 20;
const dying = 'south';
const periods = { beforeMs: 5_000, afterMs: 20_000, submitMs: 10 };

const parcel = z.strictObject({ parcel: z.int() });
const contract = defineAgent({ name: 'tax', input: parcel, output: parcel, undo: 'unneeded' });

export async function endpoints(death: Death) {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-endpoints-'));
  const calls: EndpointCallSeen[] = [];
  let diesAt = Number.POSITIVE_INFINITY;
  const agent: AgentImplementation<z.infer<typeof parcel>, z.infer<typeof parcel>> = {
    contract,
    endpoints: ['north', 'east', dying, 'west'].map((url) => ({ url })),
    async perform(input, { endpoint, signal }) {
      const at = systemClock.now() - diesAt;
      calls.push({ at, isDead: endpoint === dying });
      await answer(signal, endpoint === dying && at >= 0 ? death : null);
      return input;
    },
  };
  const workflow = defineWorkflow({ name: 'sale', version: 1, details: parcel })
    .step('tax', { agent: contract, completeWithin, input: ({ details }) => details })
    .build();
  const reeve = await startLocalReeve({
    workflows: [workflow],
    agents: [agent],
    path: join(folder, 'reeve.db'),
    clock: systemClock,
    random: systemRandom,
    log: silent,
  });
  const failed = new Set<string>();
  let ended = 0;
  let submitted = 0;
  reeve.watch(({ orderId, processState, failureCount }) => {
    if (failureCount > 0) failed.add(orderId);
    if (processState === 'Processed') ended += 1;
  });
  try {
    const begunAt = systemClock.now();
    diesAt = begunAt + periods.beforeMs;
    const submissions: Promise<unknown>[] = [];
    while (systemClock.now() < diesAt + periods.afterMs) {
      const dueCount = ((systemClock.now() - begunAt) * callsPerSecond) / 1_000;
      for (; submitted < dueCount; submitted += 1) {
        const request = { ...plainRequest, workflow: 'sale', details: { parcel: submitted } };
        submissions.push(reeve.submission.submit(request, 'bench'));
      }
      await sleep(periods.submitMs);
    }
    await Promise.all(submissions);
    while (ended < submitted) await sleep(periods.submitMs);
    const steps = Math.round((submitted * periods.afterMs) / (periods.beforeMs + periods.afterMs));
    return endpointFigures(death, calls, { steps, failed: failed.size });
  } finally {
    reeve.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function answer(signal: AbortSignal, death: Death | null): Promise<void> {
  const timeMs = callMs.least + systemRandom.next() * (callMs.most - callMs.least);
  if (death === 'fails-fast') throw new TransientFault('http-503', 'It is down.');
  if (death === 'silent') await sleep(10 * completeWithin, null, { signal });
  await sleep(death === 'slow' ? slowestOf * timeMs : timeMs, null, { signal });
  if (death === 'half-errors' && systemRandom.next() < 0.5) {
    throw new TransientFault('http-500', 'It failed.');
  }
}
