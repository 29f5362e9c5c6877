/**
 * How late an order goes on in one process: after the deadline of a call whose agent is silent, and after a cool-down. The
 * times are those of the records that are written then.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { type LocalReeve, startLocalReeve } from '#runtime/local/local-reeve.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { percentile } from './figures.ts';
import { plainRequest } from './plain-request.ts';
import { silent } from './silent-log.ts';

const parcel = z.strictObject({ parcel: z.int() });
const courier = defineAgent({ name: 'courier', input: parcel, output: parcel, undo: 'unneeded' });
const completeWithin = 500;
const coolDownMs = 400;
const lateMaxMs = 50;
/** From one order to the next, ms: there is other work, and hardly any load. */
const everyMs = 20;
/** Every fourth order's first call gets no answer: fewer than would open the circuit. */
const isSilent = (count: number, attempt: number) => count % 4 === 0 && attempt === 1;

export async function recovery(orders: number) {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-flow-'));
  const reeve = await startLocalReeve({
    workflows: [workflow],
    agents: [
      {
        contract: courier,
        perform: (input, { attempt }) =>
          isSilent(parcel.parse(input).parcel, attempt)
            ? Promise.withResolvers<z.infer<typeof parcel>>().promise
            : Promise.resolve(input),
      },
    ],
    path: join(folder, 'reeve.db'),
    clock: systemClock,
    random: systemRandom,
    log: silent,
  });
  const late = lateness(reeve);
  try {
    for (let count = 0; count < orders; count += 1) {
      const request = { ...plainRequest, workflow: 'parcel', details: { parcel: count } };
      await reeve.submission.submit(request, 'bench');
      await sleep(everyMs);
    }
    while (late.live() > 0) await sleep(100);
    const row = {
      orders,
      silentOrders: late.deadlines.length,
      afterCompleteByMsP50: percentile(late.deadlines, 0.5),
      afterCompleteByMsP99: percentile(late.deadlines, 0.99),
      afterCoolDownMsP50: percentile(late.coolDowns, 0.5),
      afterCoolDownMsP99: percentile(late.coolDowns, 0.99),
    };
    const isPassed =
      late.deadlines.length === Math.ceil(orders / 4) &&
      Math.max(row.afterCompleteByMsP99, row.afterCoolDownMsP99) <= lateMaxMs;
    return { ...row, isPassed };
  } finally {
    reeve.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const workflow = defineWorkflow({ name: 'parcel', version: 1, details: parcel })
  .step('ship', {
    agent: courier,
    completeWithin,
    retries: 0,
    coolDown: { after: coolDownMs, times: 1 },
    input: ({ details }) => details,
  })
  .build();

function lateness(reeve: LocalReeve) {
  const before = new Map<string, ProcessRecord>();
  const deadlines: number[] = [];
  const coolDowns: number[] = [];
  reeve.watch((record) => {
    const { orderId, processState, updatedAt, history } = record;
    const earlier = before.get(orderId);
    const last = history.at(-1)?.type;
    if (last === 'expired') deadlines.push(updatedAt - (earlier?.completeBy ?? 0));
    if (last === 'claim' && history.some(({ type }) => type === 'expired')) {
      coolDowns.push(updatedAt - (earlier?.notBefore ?? 0));
    }
    if (processState === 'Processed') before.delete(orderId);
    else before.set(orderId, record);
  });
  return { deadlines, coolDowns, live: () => before.size };
}
