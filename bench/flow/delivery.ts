/** A workflow of two steps whose services are healthy and slow, in one process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { Log } from '#ports/log.ts';
import { type LocalReeve, startLocalReeve } from '#runtime/local/local-reeve.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';

const parcel = z.strictObject({ parcel: z.int() });
const contract = (name: string) =>
  defineAgent({ name, input: parcel, output: parcel, undo: 'offered' });
const stock = contract('stock');
const courier = contract('courier');

/** Options of {@link startDelivery}. */
export interface DeliveryOptions {
  /** Concurrent calls per agent. */
  readonly concurrency: number;
  /** How long a call takes, ms. */
  readonly callMs: number;
  /** The deadline of a call, ms. */
  readonly completeWithinMs: number;
}

/** A running Reeve, with its largest number of concurrent calls to one agent. */
export interface Delivery {
  readonly reeve: LocalReeve;
  readonly concurrentMax: () => number;
  readonly close: () => void;
}

const silent: Log = { info() {}, warn() {}, error() {} };

/** Starts a Reeve on a new database in a temporary folder. */
export async function startDelivery(options: DeliveryOptions): Promise<Delivery> {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-flow-'));
  let concurrentMax = 0;
  const serve = () => {
    let calls = 0;
    return async () => {
      calls += 1;
      concurrentMax = Math.max(concurrentMax, calls);
      await sleep(options.callMs);
      calls -= 1;
    };
  };
  const agents = [stock, courier].map((one) => {
    const call = serve();
    return {
      contract: one,
      concurrency: options.concurrency,
      async perform(input: z.infer<typeof parcel>) {
        await call();
        return input;
      },
      undo: call,
    };
  });
  const { completeWithinMs: completeWithin } = options;
  const workflow = defineWorkflow({ name: 'delivery', version: 1, details: parcel })
    .step('reserve', { agent: stock, completeWithin, input: ({ details }) => details })
    .step('ship', {
      agent: courier,
      completeWithin,
      after: ['reserve'],
      input: ({ outputs }) => outputs.reserve,
    })
    .build();
  const reeve = await startLocalReeve({
    workflows: [workflow],
    agents,
    path: join(folder, 'reeve.db'),
    clock: systemClock,
    random: systemRandom,
    log: silent,
  });
  return {
    reeve,
    concurrentMax: () => concurrentMax,
    close() {
      reeve.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
