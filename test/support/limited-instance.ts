/** One instance of the Scheduler that asks for the limits of an agent, with its clock and the store that it writes to. */
import type { AgentLimit } from '#core/definition/agent-limit.ts';
import type { AgentSettings } from '#core/definition/agent-settings.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { agentName } from '#core/model/ids.ts';
import type { Reply, ReplyResult, Request } from '#core/model/message.ts';
import { sharedLimits } from '#distributed/limits/shared-limits.ts';
import { queueClock } from '#distributed/queue-clock.ts';
import { type GateAnswer, isHold } from '#ports/gates.ts';
import type { Advance, Occupation } from '#ports/limit-items.ts';
import { limitTable } from '#sim/ports/sim-limit-items.ts';
import { call } from './agent-requests.ts';
import { testLog } from './log.ts';
import { memoryItems } from './memory-limit-items.ts';
import { virtualClock } from './virtual-clock.ts';

export const dayMs = 86_400_000;
export const begin = virtualClock().now();
export const callMs = 10_000;
export const limit = (label: string, of: Partial<AgentLimit>): AgentLimit => ({
  ...{ name: `paint/${label}`, rate: null, atOnce: null, key: null },
  ...of,
});
export const perSecond = (count: number) => ({ rate: { count, per: 1_000, burst: 1 } });
export const byTenant = { key: ({ tenant }: { readonly tenant: string | null }) => tenant };

/**
 * @param aheadMs its clock is ahead of that of the queues
 * @param table that it shares with other instances
 */
export function instance(
  shared: readonly AgentLimit[],
  {
    aheadMs = 0,
    own = [] as AgentLimit[],
    name: of = 'one',
    table = limitTable(),
    settings = new Map() as AgentSettings,
  } = {},
) {
  const clock = virtualClock();
  const time = queueClock({ now: clock.now, uptime: clock.now });
  time.received([clock.now() - aheadMs]);
  const log = testLog();
  const writes: { readonly name: string; readonly change: Advance | Occupation }[] = [];
  const extended: [name: string, until: number][] = [];
  let isFailing = false;
  let areRatesFailing = false;
  const note = (name: string, change: Advance | Occupation) => {
    writes.push({ name, change });
    if (isFailing) throw new UnavailableError('aws-unavailable', 'No answer.');
  };
  const items = memoryItems({
    advance(name, change) {
      note(name, change);
      if (areRatesFailing) throw new UnavailableError('aws-unavailable', 'No answer.');
      return table.advance(name, change);
    },
    occupy(name, change) {
      note(name, change);
      return table.occupy(name, change);
    },
    extend(name, holder, extension) {
      if (isFailing) throw new UnavailableError('aws-unavailable', 'No answer.');
      extended.push([name, extension.until]);
      return table.extend(name, holder, extension);
    },
  });
  const all = sharedLimits({
    instance: of,
    settings: { current: () => settings },
    limits: new Map([[agentName('paint'), { own, shared }]]),
    ...{ items, clock, log, random: { next: () => 0 } },
    queueClock: time,
  });
  return {
    ...{ all, clock, log, writes, extended },
    fail(next: boolean) {
      isFailing = next;
    },
    failRates(next: boolean) {
      areRatesFailing = next;
    },
    ask: async (request: Request, isNext = false): Promise<GateAnswer> =>
      (await all.ask(request, isNext)) ?? null,
    /** A request that is sent now. */
    request: (order: string, tenant: string | null = null): Request => ({
      ...call(order),
      ...{ tenant, completeBy: clock.now() + callMs, completeWithinMs: callMs },
    }),
  };
}

/** The request as it is sent. */
export function granted(request: Request, answer: GateAnswer): Request {
  if (answer === null || isHold(answer)) throw new Error(`held: ${JSON.stringify(answer)}`);
  return { ...request, ...answer };
}

const succeeded = { kind: 'succeeded', output: null } as const;
export const replyTo = (
  { orderId, step, attempt, action, slots }: Request,
  result: ReplyResult = succeeded,
): Reply => ({ orderId, step, attempt, action, result, ...(slots !== undefined && { slots }) });

export const queueOf = (answer: GateAnswer) =>
  answer !== null && isHold(answer) && 'queue' in answer ? (answer.queue ?? '') : '';
