/**
 * Leaves an order alone while replies that would end its late calls may wait in their queues. A failure would be counted for a call
 * that was answered in time, because the Schedulers are busy.
 */

import { lateAt } from '#core/decide/due.ts';
import { mayReplyWait, type ReplyDelay } from '#core/flow/reply-delay.ts';
import { errorKind } from '#core/model/errors.ts';
import type { AgentName } from '#core/model/ids.ts';
import { type ProcessRecord, underWay } from '#core/model/record.ts';
import type { Clock } from '#ports/clock.ts';
import type { ReplyDelays } from '#ports/health/reply-delays.ts';
import type { Log } from '#ports/log.ts';
import type { EventFor, Outcome, Transitions } from '../transitions/transitions.ts';

/** The ports of {@link leavingWaitingReplies}. */
export interface WaitingReplyPorts {
  readonly transitions: Transitions;
  readonly replyDelays: Pick<ReplyDelays, 'read'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** How long a delay that was read counts, ms. */
const knownForMs = 3_000;

/** Null: no note. Undefined: it must be read. */
type DelayOf = (agent: AgentName) => ReplyDelay | null | undefined;

/** What was read of an agent. */
interface Known {
  readonly agent: AgentName;
  readonly readAt: number;
  readonly delay: ReplyDelay | null;
}

/**
 * Transitions that ignore an `expired` event with the reason `left-alone` where a reply of a late call may wait. The delays are read
 * only when a call is late.
 */
export function leavingWaitingReplies(ports: WaitingReplyPorts): Transitions {
  const { transitions, clock } = ports;
  const known = new Map<AgentName, Known>();

  /** Undefined: it must be read. */
  function knownOf(agent: AgentName): Known | undefined {
    const one = known.get(agent);
    const ageMs = clock.now() - (one?.readAt ?? Number.NEGATIVE_INFINITY);
    return ageMs >= 0 && ageMs <= knownForMs ? one : undefined;
  }

  /** Whether a reply of a late call may wait; also while that is unknown. Adds the agents that must be read to `unknown`. */
  function mayWait(record: ProcessRecord, delayOf: DelayOf, unknown: Set<AgentName>): boolean {
    const nowMs = clock.now();
    // It ends by its own deadline.
    if ((lateAt(record) ?? Number.POSITIVE_INFINITY) <= nowMs) return false;
    let may = false;
    for (const { agent, progress } of record.steps) {
      if (!underWay(progress) || progress.completeBy >= nowMs) continue;
      const delay = delayOf(agent);
      if (delay === undefined) unknown.add(agent);
      may ||=
        delay !== null && (delay === undefined || mayReplyWait(delay, progress.completeBy, nowMs));
    }
    return may;
  }

  return {
    async apply(batch) {
      const outcomes: Outcome[] = [];
      const read = new Map<AgentName, Known>();
      const delayOf: DelayOf = (agent) => (read.get(agent) ?? knownOf(agent))?.delay;
      let left = [...batch.entries()];
      // Again as long as calls of further agents become late meanwhile.
      while (left.length > 0) {
        const unknown = new Map<number, ReadonlySet<AgentName>>();
        const patient = ([place, eventFor]: (typeof left)[number]): EventFor => ({
          ...eventFor,
          event(record, context) {
            const event = eventFor.event(record, context);
            if (event?.type !== 'expired') return event;
            const agents = new Set<AgentName>();
            const isLeft = mayWait(record, delayOf, agents);
            unknown.set(place, agents);
            return isLeft ? null : event;
          },
        });
        const applied = await transitions.apply(left.map(patient));
        for (const [at, [place]] of left.entries()) {
          const outcome = applied[at];
          if (outcome !== undefined) outcomes[place] = outcome;
        }
        left = left.filter(([place]) => (unknown.get(place)?.size ?? 0) > 0);
        const agents = new Set(left.flatMap(([place]) => [...(unknown.get(place) ?? [])]));
        for (const one of await Promise.all([...agents].map((agent) => readOf(ports, agent)))) {
          read.set(one.agent, one);
          known.set(one.agent, one);
        }
      }
      return outcomes;
    },
  };
}

/** A delay that cannot be read says nothing: no order may wait for it for ever. */
async function readOf(
  { replyDelays, clock, log }: WaitingReplyPorts,
  agent: AgentName,
): Promise<Known> {
  try {
    const delay = await replyDelays.read(agent);
    return { agent, readAt: clock.now(), delay };
  } catch (error) {
    log.warn('reply-delay-unread', { agent, error: errorKind(error) });
    return { agent, readAt: clock.now(), delay: null };
  }
}
