/** A workflow of two steps whose services are slow, in one process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { JsonValue } from '#core/model/json.ts';
import type { Priority, ProcessRecord, ProcessState } from '#core/model/record.ts';
import type { UndoTarget } from '#ports/agent-implementation.ts';
import type { SubmissionOutcome } from '#roles/submission.ts';
import { type LocalReeve, startLocalReeve } from '#runtime/local/local-reeve.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { plainRequest } from './plain-request.ts';
import { type SlowService, type SlowServiceOptions, slowService } from './service.ts';
import { silent } from './silent-log.ts';

const parcel = z.strictObject({ parcel: z.int() });
const contract = (name: string) =>
  defineAgent({ name, input: parcel, output: parcel, undo: 'offered' });
const stock = contract('stock');
const courier = contract('courier');

/** Options of {@link startDelivery}. */
export interface DeliveryOptions extends Omit<SlowServiceOptions, 'hangMs' | 'declines'> {
  /** Concurrent calls per agent. */
  readonly concurrency: number;
  /** How long a call of the stock takes, ms. Default: as one of the courier. */
  readonly stockMs?: number;
  /** The deadline of a call, ms. */
  readonly completeWithinMs: number;
  /** The bound of the backlog, ms. Default: that of Reeve. */
  readonly backlogMaxMs?: number;
  /** Whether the courier refuses a parcel for good. Default: none. */
  readonly declines?: (parcel: number) => boolean;
}

/** A running Reeve with its two services. */
export interface Delivery {
  readonly reeve: LocalReeve;
  readonly stock: SlowService;
  readonly courier: SlowService;
  submit(parcel: number, flow?: Flow): Promise<SubmissionOutcome>;
  /** How the orders ended, and the failures that were counted. */
  endings(): Endings;
  /** Calls the listener with each order that is Processed or Undone. */
  onEnd(listener: (record: ProcessRecord) => void): void;
  readonly close: () => void;
}

/** Counts of orders; `failures` is the sum of their failures, and `failedOrders` the orders that have any. */
export type Endings = Readonly<
  Record<'orders' | 'processed' | 'undone' | 'error' | 'live' | 'failures' | 'failedOrders', number>
>;

/** Whose order it is. */
export interface Flow {
  readonly priority: Priority;
  readonly tenant: string | null;
}

/** Starts a Reeve on a new database in a temporary folder. */
export async function startDelivery(options: DeliveryOptions): Promise<Delivery> {
  const { completeWithinMs: completeWithin, declines, ...rest } = options;
  const folder = mkdtempSync(join(tmpdir(), 'reeve-flow-'));
  const service = { ...rest, hangMs: completeWithin + 500 };
  const services = {
    stock: slowService({ ...service, callMs: options.stockMs ?? options.callMs }),
    courier: slowService({ ...service, ...(declines !== undefined && { declines }) }),
  };
  const agents = [stock, courier].map((one) => {
    const { call } = one === stock ? services.stock : services.courier;
    return {
      contract: one,
      concurrency: options.concurrency,
      async perform(input: z.infer<typeof parcel>) {
        await call(input.parcel);
        return input;
      },
      undo: ({ input }: UndoTarget<JsonValue, JsonValue>) => call(parcel.parse(input).parcel),
    };
  });
  const workflow = defineWorkflow({ name: 'delivery', version: 1, details: parcel })
    .step('reserve', { agent: stock, completeWithin, input: ({ details }) => details })
    .step('ship', {
      agent: courier,
      completeWithin,
      after: ['reserve'],
      onFault: 'undo',
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
    ...(options.backlogMaxMs !== undefined && { backlogMaxMs: options.backlogMaxMs }),
  });
  return {
    reeve,
    ...services,
    ...watched(reeve),
    submit(count, flow) {
      const request = { ...plainRequest, ...flow, workflow: 'delivery' };
      return reeve.submission.submit({ ...request, details: { parcel: count } }, 'bench');
    },
    close() {
      reeve.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The orders by state, without their records: those would be most of the memory. */
function watched(reeve: LocalReeve): Pick<Delivery, 'endings' | 'onEnd'> {
  const states = new Map<string, ProcessState>();
  const counts = { Pending: 0, Processing: 0, Processed: 0, Error: 0, Undone: 0 };
  /** The failures of the orders that have any. */
  const failures = new Map<string, number>();
  const listeners: ((record: ProcessRecord) => void)[] = [];
  reeve.watch((record) => {
    const { orderId, processState, failureCount } = record;
    const before = states.get(orderId);
    if (failureCount > 0) failures.set(orderId, failureCount);
    if (before === processState) return;
    states.set(orderId, processState);
    counts[processState] += 1;
    if (before !== undefined) counts[before] -= 1;
    if (processState === 'Processed' || processState === 'Undone') {
      for (const each of listeners) each(record);
    }
  });
  return {
    endings: () => ({
      orders: states.size,
      processed: counts.Processed,
      undone: counts.Undone,
      error: counts.Error,
      live: counts.Pending + counts.Processing,
      failures: [...failures.values()].reduce((sum, count) => sum + count, 0),
      failedOrders: failures.size,
    }),
    onEnd(listener) {
      listeners.push(listener);
    },
  };
}
