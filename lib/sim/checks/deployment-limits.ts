/** The limits of agents, checked over all functions of a deployment. */
import { type LimitChecker, limitChecker } from '#checkers/process/limit-checker.ts';
import type { Breach } from '#checkers/violation.ts';
import { type AgentName, idempotencyKey } from '#core/model/ids.ts';
import type { Request } from '#core/model/message.ts';
import { underWay } from '#core/model/record.ts';
import { clocksWereRight } from '#sim/faults/fault-rates.ts';
import type { AgentSettingTable } from '#sim/ports/sim-flow.ts';
import type { CountedCall } from '#sim/world/counted-calls.ts';
import type { SimContext } from '#sim/world/sim-context.ts';
import { orderIdOf } from '#sim/world/sim-services.ts';
import { allowedAmounts } from './allowed-amounts.ts';

/** See {@link deploymentLimits}. */
export interface DeploymentLimits extends Pick<LimitChecker, 'stored'> {
  /** A call begins; the returned function ends it, and may be called again. */
  began(agent: AgentName, attempt: CalledAttempt): () => void;
  /** An agent receives a request for the first time. */
  received(request: Request): void;
  /** The request of this attempt was delivered again. */
  repeated(attempt: CalledAttempt): void;
  /** The room of a holder in a limit lasts until then, ms since the epoch. */
  extended(holder: string, until: number): void;
}

/** An attempt, with the key of its perform. */
export type CalledAttempt = Pick<CountedCall, 'key' | 'attempt'>;

const idOf = ({ key, attempt }: CalledAttempt) => `${key} ${attempt}`;

/** After the complete-by that is stored, the room of a call is free, ms: `graceMs` of lib/distributed/limits/known-holders.ts. */
const roomGraceMs = 5_000;

const nothing = () => {};

/**
 * R21: the calls that begin at a service, by true time, while clocks are right. A request that its queue delivers more than once
 * makes more calls than it has slots, all of one attempt: they are not counted. Neither are the calls of an attempt whose heartbeats
 * were not stored in time, in its record and in its limits, from then on: its agent goes on, may call again, and its room is free. Whether
 * room is used (R22) is for the benchmarks: no single instant can be judged while functions wait for each other's messages.
 */
export function deploymentLimits(
  around: SimContext,
  settings: AgentSettingTable | null,
  breach: Breach,
): DeploymentLimits {
  const { timeline, faults, subject } = around;
  const checker = limitChecker({
    limits: subject.limits,
    now: timeline.now,
    faults: () => 0,
    mayBegin: () => false,
    allowed: allowedAmounts(settings, around, 'functions'),
    breach(rule, message) {
      if (clocksWereRight(faults.hits)) breach(rule, message);
    },
  });
  const repeated = new Set<string>();
  const ends = new Map<string, () => void>();
  /** The attempts that have made a call: only heartbeats let one of them call again after its room. */
  const called = new Set<string>();
  /** The stored complete-by of each attempt, before its heartbeats and now. */
  const completeBy = new Map<string, { readonly first: number; now: number }>();
  /** Who has the room of each attempt. */
  const holders = new Map<string, readonly string[]>();
  /** Until when heartbeats have extended the room of each holder. */
  const extendedTo = new Map<string, number>();

  /** Until when the attempt has room. */
  function roomUntil(id: string): number {
    const stored = completeBy.get(id);
    if (stored === undefined) return Number.POSITIVE_INFINITY;
    const [first, now] = [stored.first + roomGraceMs, stored.now + roomGraceMs];
    if (first === now) return now;
    return Math.min(now, ...(holders.get(id) ?? []).map((one) => extendedTo.get(one) ?? first));
  }

  function endOverdue(): void {
    for (const [id, end] of ends) if (roomUntil(id) < timeline.now()) end();
  }

  return {
    began(agent, attempt) {
      const id = idOf(attempt);
      if (repeated.has(id)) return nothing;
      endOverdue();
      if (called.has(id) && roomUntil(id) < timeline.now()) return nothing;
      called.add(id);
      const ended = checker.began(agent, orderIdOf(attempt.key));
      const end = () => {
        ends.delete(id);
        ended();
      };
      ends.set(id, end);
      return end;
    },
    received({ performKey: key, attempt, slots = [] }) {
      const own = slots.flatMap(({ holder }) => holder ?? []);
      holders.set(idOf({ key, attempt }), own);
    },
    extended: (holder, until) => extendedTo.set(holder, until),
    repeated(attempt) {
      repeated.add(idOf(attempt));
      ends.get(idOf(attempt))?.();
    },
    stored(record) {
      checker.stored(record);
      for (const { name, attempt, keyGeneration, progress } of record.steps) {
        if (!underWay(progress)) continue;
        const key = idempotencyKey(record.orderId, name, 'perform', keyGeneration);
        const id = idOf({ key, attempt });
        const known = completeBy.get(id);
        if (known !== undefined) known.now = progress.completeBy;
        else completeBy.set(id, { first: progress.completeBy, now: progress.completeBy });
      }
    },
  };
}
