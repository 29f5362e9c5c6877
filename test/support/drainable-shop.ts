/** A shop in one process and virtual time, whose agents operators drain: a pool of three payment services, and a printer. */
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { definePool } from '#core/definition/agent-pool.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { replay } from '#core/view/replay.ts';
import type { AgentImplementation, Call } from '#ports/agent-implementation.ts';
import type { AgentRequest } from '#roles/agent-control.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from './log.ts';
import { settled, type VirtualClock, virtualClock } from './virtual-clock.ts';

const schemas = { input: z.null(), output: z.null(), undo: 'offered' } as const;
const payment = definePool({
  name: 'pay',
  ...schemas,
  members: { east: { domain: 'bank' }, west: { domain: 'bank' }, rival: {}, spare: { weight: 0 } },
});
const print = defineAgent({ name: 'print', ...schemas });
const sale = defineWorkflow({ name: 'sale', version: 1, details: z.null() })
  .step('charge', {
    agent: payment,
    ...{ completeWithin: 5_000, retries: 3, coolDown: { after: 1_000, times: 9 } },
    input: () => null,
  })
  .step('receipt', {
    agent: print,
    ...{ completeWithin: 5_000, retries: 3, coolDown: { after: 1_000, times: 9 } },
    input: () => null,
  })
  .build();

/** Where Reeve keeps its data, and the clock that goes on after a restart. */
export interface ShopPlace {
  readonly path?: string;
  readonly clock?: VirtualClock;
  /** Calls of each agent at once. */
  readonly concurrency?: number;
}

export async function drainableShop({
  path = ':memory:',
  clock = virtualClock(),
  concurrency = 4,
}: ShopPlace = {}) {
  const log = testLog();
  /** The calls that were sent, as `perform o-1 at pay-east`. */
  const sent: string[] = [];
  /** Agents whose calls never end. */
  const silent = new Set<string>();
  let draws = 0;
  const contracts = [...(['east', 'west', 'rival', 'spare'] as const).map(payment.member), print];
  const reeve = await startLocalReeve({
    workflows: [sale],
    agents: contracts.map((contract): AgentImplementation<null, null> => {
      const act = ({ signal }: Call) =>
        new Promise<void>((resolve, reject) => {
          if (!silent.has(contract.name)) clock.after(100, resolve);
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
      return {
        contract,
        concurrency,
        async perform(_, call) {
          await act(call);
          return null;
        },
        undo: (_, call) => act(call),
      };
    }),
    ...{ path, clock, log },
    random: {
      next: () => {
        draws += 1;
        return (draws * 0.618_034) % 1;
      },
    },
  });
  onTestFinished(() => reeve.close());
  const latest = new Map<OrderId, ProcessRecord>();
  reeve.watch((record) => {
    const before = latest.get(record.orderId);
    for (const { name, agent, attempt, progress } of record.steps) {
      const known = before?.steps.find((step) => step.name === name)?.attempt ?? 0;
      const action = progress.state === 'Undoing' ? 'undo' : 'perform';
      if (attempt > known) sent.push(`${action} ${record.orderId} at ${agent}`);
    }
    latest.set(record.orderId, record);
  });
  return {
    ...{ reeve, clock, sent, silent, latest, log },
    async submit(count: number): Promise<readonly OrderId[]> {
      const order = { workflow: 'sale', details: null, priority: 'normal', tenant: null } as const;
      const outcomes = await Promise.all(
        Array.from({ length: count }, () =>
          reeve.submission.submit(
            { ...order, correlationId: null, replyTo: null, key: null },
            'ada',
          ),
        ),
      );
      await settled();
      return outcomes.map((outcome) => {
        if (outcome.kind !== 'accepted') throw new Error(outcome.kind);
        return outcome.orderId;
      });
    },
    async change(agent: string, request: AgentRequest | 'drain' | 'resume') {
      const asked = typeof request === 'string' ? { kind: request } : request;
      const outcome = await reeve.agents.change(agent, asked, 'olga');
      await settled();
      return outcome;
    },
    agent: async (name: string) =>
      (await reeve.agents.list()).agents.find((agent) => agent.name === name),
    /** Where calls were sent to since the last time that it was asked. */
    places: () => new Set(sent.splice(0).map((one) => one.split(' at ')[1])),
    states: () => [...latest.values()].map(({ processState }) => processState),
    /** The step of the order. */
    step(id: OrderId, name: string) {
      const step = latest.get(id)?.steps.find((one) => one.name === name);
      if (step === undefined) throw new Error(`no step ${name} of ${id}`);
      return step;
    },
    /** Whether the history of each order replays to its record (R15). */
    replays: () =>
      [...latest.values()].every((record) => {
        const last = replay(record, { definition: sale, details: null }).at(-1);
        return JSON.stringify({ ...last, writeId: record.writeId }) === JSON.stringify(record);
      }),
  };
}
