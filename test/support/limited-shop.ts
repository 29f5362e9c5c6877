/** A shop in one process and virtual time, whose only agent has limits; and what its service has seen. */
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import type { LimitOptions } from '#core/definition/agent-limit.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { assertThat } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { TransientFault } from '#ports/agent-implementation.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from './log.ts';
import { virtualClock } from './virtual-clock.ts';

const input = z.object({ customer: z.string(), tenant: z.string().nullable() });
export type Input = z.infer<typeof input>;
export type Limits = Readonly<Record<string, LimitOptions<Input>>>;

export interface Called {
  readonly customer: string;
  readonly tenant: string | null;
  readonly from: number;
  to: number;
}

/** A shop whose service takes `callMs`, and fails its first `failing` calls. */
export async function shop(
  limits: Limits,
  { callMs = 100, concurrency = 256, failing = 0, takesMs = (_: number) => callMs } = {},
) {
  const clock = virtualClock();
  const log = testLog();
  const paint = defineAgent({ name: 'paint', input, output: z.null(), undo: 'offered', limits });
  const painting = defineWorkflow({ name: 'painting', version: 1, details: input })
    .step('paint', { agent: paint, completeWithin: 2_000, input: ({ details }) => details })
    .build();
  const calls: Called[] = [];
  const latest = new Map<string, ProcessRecord>();
  const reeve = await startLocalReeve({
    workflows: [painting],
    agents: [
      {
        contract: paint,
        concurrency,
        async perform(given) {
          const { customer, tenant } = input.parse(given);
          const call = { customer, tenant, from: clock.now(), to: Number.POSITIVE_INFINITY };
          calls.push(call);
          const isFailing = calls.length <= failing;
          await new Promise<void>((resolve) => {
            clock.after(takesMs(calls.length), resolve);
          });
          call.to = clock.now();
          if (isFailing) throw new TransientFault('http-503', 'Not now.');
          return null;
        },
        async undo() {},
      },
    ],
    path: ':memory:',
    random: { next: () => 0.5 },
    log,
    sweepPeriodMs: 10_000,
    clock,
  });
  onTestFinished(reeve.close);
  reeve.watch((record) => latest.set(record.orderId, record));
  async function submit(customer: string, tenant: string | null = null): Promise<OrderId> {
    const order = {
      workflow: 'painting',
      details: { customer, tenant },
      priority: 'normal',
    } as const;
    const outcome = await reeve.submission.submit(
      { ...order, tenant, correlationId: null, replyTo: null, key: null },
      'ada',
    );
    assertThat(outcome.kind === 'accepted', 'the order is accepted');
    return outcome.orderId;
  }
  const records = () => [...latest.values()];
  return {
    ...{ clock, calls, log, submit, records, reeve },
    ended: () => records().filter(({ processState }) => processState === 'Processed').length,
    failures: () => records().reduce((sum, { failureCount }) => sum + failureCount, 0),
    of: (customer: string) => calls.filter((call) => call.customer === customer),
  };
}

/** The most calls that began within any `ms`. */
export function mostWithin(calls: readonly Called[], ms: number): number {
  return Math.max(
    ...calls.map(
      ({ from }) => calls.filter((other) => other.from >= from && other.from < from + ms).length,
    ),
  );
}

/** The most calls in flight. */
export function mostAtOnce(calls: readonly Called[]): number {
  return Math.max(
    ...calls.map(
      ({ from }) => calls.filter((other) => other.from <= from && other.to > from).length,
    ),
  );
}
