/** Gives a deployment more orders at once than the limit of one of its agents lets through, and notes when its calls begin. */
import * as z from 'zod';
import { type CallLimits, workflowRegistry } from '#core/definition/registry.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { payment } from '#sim/orders/sim-agents.ts';
import type { Settle } from '#sim/world/virtual-time.ts';
import { invocationContext } from './load-context.ts';
import { bottleneck } from './load-setting.ts';
import { loadWorld } from './load-world.ts';

export interface Limited {
  /** When the calls of the limited service began, ms since the first one. */
  readonly begins: readonly number[];
  readonly processed: number;
  readonly failures: number;
  /** When limits were written, ms since the first call. */
  readonly writes: readonly number[];
  /** How many instances the Scheduler has had. */
  readonly schedulers: number;
}

export interface LimitedOptions {
  readonly limits: CallLimits;
  readonly orders: number;
  /** Orders per second that are submitted. */
  readonly perSecond: number;
  readonly callMs: number;
  readonly skewMs: number;
  readonly tenants: number;
  readonly seed: number;
  readonly settle: Settle;
}

const sweepEveryMs = 60_000;
const endAfterMs = 3_600_000;

export async function limited(options: LimitedOptions): Promise<Limited> {
  const { orders, perSecond, callMs, skewMs, tenants, seed, settle } = options;
  const around = invocationContext(seed, settle);
  const { timeline } = around;
  let processed = 0;
  let ended = 0;
  let failures = 0;
  const world = loadWorld({
    around,
    setting: {
      ...{ seed, callMs, variation: 0.3, batches: 500, classes: 1 },
      ...{ backlogMaxMs: 3_600_000, countAgeMs: 1_000, skewMs },
      limits: new Map([[bottleneck, options.limits]]),
      schedulersMax: 50,
      registry,
    },
    onWrite({ after }) {
      const { processState: state } = after;
      if (state !== 'Processed' && state !== 'Undone' && state !== 'Error') return;
      ended += 1;
      if (state === 'Processed') processed += 1;
      failures += after.failureCount;
    },
  });
  for (let number = 0; number < orders; number += 1) {
    timeline.at(timeline.now() + (number * 1_000) / perSecond, () => {
      void world.door.run(({ submission }) =>
        submission.submit({ ...request, tenant: `t${number % tenants}` }, 'load'),
      );
    });
  }
  const begin = timeline.now();
  function sweepAt(at: number): void {
    timeline.at(at, () => {
      void world.sweep();
      sweepAt(at + sweepEveryMs);
    });
  }
  sweepAt(begin + sweepEveryMs / 2);
  while (ended < orders && timeline.now() < begin + endAfterMs) {
    await timeline.runUntil(timeline.now() + 1_000);
  }
  const { begins } = world.services;
  const first = begins[0] ?? 0;
  return {
    begins: begins.map((at) => at - first),
    ...{ processed, failures },
    writes: world.limitWrites.map((at) => at - first),
    schedulers: world.schedulers(),
  };
}

const charge = defineWorkflow({ name: 'charge', version: 1, details: z.object({ units: z.int() }) })
  .step('pay', {
    agent: payment,
    input: ({ details: { units } }) => ({ units, from: [] }),
    completeWithin: 6_000,
  })
  .build();
const registry = workflowRegistry([charge]);

const request = {
  workflow: 'charge',
  details: { units: 1 },
  priority: 'normal',
  key: null,
  replyTo: null,
  correlationId: null,
} as const;
