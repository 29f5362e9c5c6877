/** Several instances of the roles over one store, with orders of a singleton key, messages in bags, and calls of the store that fail. */
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import type { SingletonRule } from '#core/definition/singleton.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { type OrderId, schedulerId } from '#core/model/ids.ts';
import type { Nudge, Reply, ReplyResult, Request } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { sqliteStore } from '#embedded/sqlite-store.ts';
import type { Delivery } from '#ports/delivery.ts';
import type { StateStore } from '#ports/state-store.ts';
import { assembleOperator, assembleScheduler, assembleSubmission } from '#roles/assemble.ts';
import type { Scheduler } from '#roles/scheduler.ts';
import type { SubmissionOutcome } from '#roles/submission.ts';
import { transitions } from '#roles/transitions/transitions.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { sha256, systemIds, systemRandom } from '#runtime/node/system-ids.ts';
import { testLog } from './log.ts';
import { virtualClock } from './virtual-clock.ts';

const packing = defineAgent({
  name: 'packing',
  input: z.object({ cart: z.string() }),
  output: z.object({ boxes: z.int() }),
  undo: 'offered',
});

/** How long orders of the rule `debounce` wait for later ones, ms. */
export const debounceTimes = { quiet: 5_000, atMost: 12_000 } as const;

/** A rule, with the options that it needs. */
export const ruleOptions = (
  rule: SingletonRule,
  times: { readonly quiet: number; readonly atMost: number } = debounceTimes,
) => (rule === 'debounce' ? { else: rule, ...times } : { else: rule });

/** Two steps, one after the other; details without a cart have no key. */
export const cartWorkflow = (rule: SingletonRule) =>
  defineWorkflow({
    name: 'cart',
    version: 1,
    details: z.object({ cart: z.string().nullable() }),
    singleton: { key: ({ details: { cart } }) => cart, ...ruleOptions(rule) },
  })
    .step('pick', { agent: packing, input: ({ details: { cart } }) => ({ cart: cart ?? '' }) })
    .step('pack', {
      agent: packing,
      after: ['pick'],
      input: ({ details: { cart } }) => ({ cart: cart ?? '' }),
    })
    .build();

/** How a call of the store goes wrong: without effect, after it, or with the process, which may lose its message too. */
export type StoreFault = 'refused' | 'answer-lost' | 'crash';

/** Called before each call of the store; null: it goes well. */
export type Faults = () => StoreFault | null;

class Crashed extends Error {}

/** Fails as the faults say. After a crash no call of this process has an effect. */
function failing(store: StateStore, faults: Faults): StateStore {
  let isDead = false;
  const call = async <Value>(act: () => Promise<Value>): Promise<Value> => {
    if (isDead) throw new Crashed();
    const fault = faults();
    if (fault === 'refused') throw new UnavailableError('store-unavailable', 'refused');
    const value = await act();
    if (fault === 'answer-lost') throw new UnavailableError('store-unavailable', 'answer lost');
    if (fault === 'crash') {
      isDead = true;
      throw new Crashed();
    }
    return value;
  };
  return {
    ...store,
    create: (...of) => call(() => store.create(...of)),
    commit: (...of) => call(() => store.commit(...of)),
    records: (...of) => call(() => store.records(...of)),
    orders: (...of) => call(() => store.orders(...of)),
    line: (...of) => call(() => store.line(...of)),
    changeLine: (...of) => call(() => store.changeLine(...of)),
  };
}

export type SingletonWorld = ReturnType<typeof singletonWorld>;

/** @param onWrite called with each record that the store has, in the order of the writes */
export function singletonWorld(
  rule: SingletonRule,
  onWrite: (record: ProcessRecord) => void = () => {},
) {
  const clock = virtualClock();
  const log = testLog();
  const real = sqliteStore({ path: ':memory:', sweepPeriodMs: 1_000, log });
  onTestFinished(() => real.close());
  real.watchRecords((record) => onWrite(record));
  const nudges: Nudge[] = [];
  const delayed: Nudge[] = [];
  const requests: Request[] = [];
  const channels = {
    // Delayed nudges are lost, unless a test delivers them: sweeps find what has waited.
    nudges: {
      async send(all: readonly Nudge[]) {
        for (const nudge of all) (nudge.at === undefined ? nudges : delayed).push(nudge);
      },
    },
    requests: { send: async (all: readonly Request[]) => void requests.push(...all) },
  };
  const registry = workflowRegistry([cartWorkflow(rule)]);
  let instances = 0;

  /** A process that lives for one message. */
  function process(faults: Faults) {
    instances += 1;
    const store = failing(real, faults);
    const ports = {
      ...{ store, channels, log, registry, random: systemRandom },
      clock: { now: clock.now, after: systemClock.after },
      ids: systemIds(clock, `p-${instances}`),
    };
    return { ...ports, id: schedulerId(`p-${instances}`), nudges: channels.nudges };
  }
  const never: Faults = () => null;

  async function deliver<Message>(
    bag: Message[],
    at: number,
    faults: Faults,
    keeps: boolean,
    handle: (role: Scheduler, message: Message) => ReturnType<Scheduler['onNudges']>,
  ): Promise<void> {
    const [message] = bag.splice(at % Math.max(1, bag.length), 1);
    if (message === undefined) return;
    // A batch that cannot be read is delivered again.
    const [delivery] = await handle(assembleScheduler(process(faults)), message).catch(
      (): readonly Delivery[] => [{ kind: 'retry' }],
    );
    if (delivery?.kind === 'retry' && keeps) bag.push(message);
  }

  const world = {
    clock,
    log,
    store: real,
    nudges,
    delayed,
    requests,
    submit: (
      cart: string | null,
      { faults = never, key = null as string | null, tenant = null as string | null } = {},
    ): Promise<SubmissionOutcome> =>
      assembleSubmission({ ...process(faults), digest: sha256, responseChannels: [] }).submit(
        {
          ...{ workflow: 'cart', details: { cart }, priority: 'normal', tenant, key },
          ...{ replyTo: null, correlationId: null },
        },
        'ada',
      ),
    /** @param keeps whether a message that was not handled is delivered again */
    deliverNudge: (at = 0, faults = never, keeps = true) =>
      deliver(nudges, at, faults, keeps, (role, nudge) => role.onNudges([nudge])),
    answer: (
      at = 0,
      result: ReplyResult = { kind: 'succeeded', output: { boxes: 1 } },
      faults = never,
      keeps = true,
    ) =>
      deliver(requests, at, faults, keeps, (role, request) => {
        const { orderId, step, attempt, action } = request;
        const reply: Reply = { orderId, step, attempt, action, result };
        return role.onReplies(request.agent, [reply]);
      }),
    /** Lets time pass, and then delivers the nudges that were delayed until now. */
    async wait(ms: number): Promise<void> {
      await clock.advance(ms);
      const isDue = ({ at = 0 }: Nudge) => at <= clock.now();
      nudges.push(...delayed.filter(isDue));
      delayed.splice(0, delayed.length, ...delayed.filter((nudge) => !isDue(nudge)));
      while (nudges.length > 0) await world.deliverNudge();
    },
    cancel: (orderId: OrderId) => assembleOperator(process(never)).cancel(orderId, 'otto'),
    resubmit: (orderId: OrderId) => assembleOperator(process(never)).resubmit(orderId, 'otto'),
    /** What a sweep does: orders that are due are recovered. */
    async sweep(): Promise<void> {
      const { items } = await real.due({
        ...{ shard: 0, from: 0, to: clock.now(), limit: 1_000, cursor: null },
      });
      const role = transitions(process(never));
      await role.apply(items.map((orderId) => ({ orderId, event: () => ({ type: 'expired' }) })));
    },
    async record(orderId: OrderId): Promise<ProcessRecord> {
      const record = (await real.records([orderId])).get(orderId);
      if (record === undefined) throw new Error(`no order ${orderId}`);
      return record;
    },
    /** Delivers and answers everything until nothing is left. */
    async settle(): Promise<void> {
      for (let turn = 0; nudges.length + requests.length > 0; turn += 1) {
        if (turn > 1_000)
          throw new Error(`it does not settle: ${JSON.stringify(log.lines.at(-1))}`);
        await world.deliverNudge();
        await world.answer();
      }
    },
  };
  return world;
}

/** The id of an order that was accepted. */
export function idOf(outcome: SubmissionOutcome): OrderId {
  if (outcome.kind !== 'accepted') throw new Error(outcome.kind);
  return outcome.orderId;
}
