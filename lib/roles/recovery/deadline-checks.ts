/**
 * Handles deadline checks where several processes share a store: recovers the orders with a call that is late, and sends the
 * next check of the others. Only sweeps know what an outage delayed (R20), so a check that comes after an outage does nothing.
 */
import { laterCheck, nextCheck } from '#core/decide/checks/deadline-check.ts';
import { overdueAt } from '#core/decide/due.ts';
import { describeError } from '#core/model/errors.ts';
import type { DeadlineCheck } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Channel } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';
import type { Coordination } from '#ports/coordination.ts';
import type { Delivery } from '#ports/delivery.ts';
import type { Log } from '#ports/log.ts';
import { deliveryOf, earlyMaxMs } from '../event-delivery.ts';
import type { Transitions } from '../transitions/transitions.ts';
import { expired } from './recover-page.ts';
import { nameOf, sendingOnce } from './sending-once.ts';
import { isAfterOutage, recalledForMs } from './shard-memory.ts';

/** The ports of {@link deadlineChecks}. */
export interface DeadlineCheckPorts {
  readonly transitions: Transitions;
  readonly checks: Channel<DeadlineCheck>;
  readonly coordination: Pick<Coordination, 'recall'>;
  /** The shards of the due index. */
  readonly shards: number;
  /** As for sweeps. */
  readonly outageAfterMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** Handles deadline checks. */
export interface DeadlineChecks {
  /** Returns one delivery per check, in the same order. */
  onChecks(checks: readonly DeadlineCheck[]): Promise<readonly Delivery[]>;
}

/** Makes the handler. */
export function deadlineChecks(ports: DeadlineCheckPorts): DeadlineChecks {
  const { coordination, clock, log } = ports;
  const onward = sendingOnce(ports.checks);
  let recalled = { at: Number.NEGATIVE_INFINITY, isAfterOutage: false };

  async function isForSweeps(): Promise<boolean> {
    const nowMs = clock.now();
    const ageMs = nowMs - recalled.at;
    if (ageMs < 0 || ageMs > recalledForMs) {
      const memory = await coordination.recall(ports.shards);
      recalled = {
        at: nowMs,
        isAfterOutage: isAfterOutage(memory, nowMs, ports.outageAfterMs),
      };
    }
    return recalled.isAfterOutage;
  }

  const isOverdueForLong = (record: ProcessRecord) =>
    clock.now() - (overdueAt(record) ?? Number.POSITIVE_INFINITY) > ports.outageAfterMs;

  return {
    async onChecks(checks) {
      if (await isForSweeps()) return checks.map(() => ({ kind: 'done' }));
      // Before the decisions: a deadline that passes meanwhile is checked once more.
      const nowMs = clock.now();
      const outcomes = await ports.transitions.apply(
        checks.map(({ orderId }) => ({
          orderId,
          reads: 'record',
          // By then a sweep would have found it, unless an outage delayed it: perhaps in a shard that no tick knows yet.
          event: (record) => (isOverdueForLong(record) ? null : expired),
        })),
      );
      const next = checks.map((check, at) => {
        const outcome = outcomes[at];
        if (outcome === undefined || !('record' in outcome)) return null;
        const isLeft = outcome.kind === 'ignored' && outcome.reason === 'left-alone';
        const { record } = outcome;
        if (isLeft && isOverdueForLong(record)) return null;
        return isLeft ? laterCheck(record, check, nowMs) : nextCheck(record, check, nowMs);
      });
      const isEarly = checks.map((check, at) => isItself(check, next[at] ?? null, nowMs));
      const onwards = next.flatMap((check, at) =>
        check === null || isEarly[at] === true ? [] : [check],
      );
      await send({ checks: onward, log }, onwards);
      return outcomes.map((outcome, at) =>
        isEarly[at] === true ? { kind: 'retry' } : deliveryOf(outcome, log),
      );
    },
  };
}

/**
 * Whether the check has come before its time, because the clock of its sender is ahead: what follows it is the same check. This instance
 * may have sent it, and sends none twice, so it would be the last one.
 */
const isItself = (check: DeadlineCheck, next: DeadlineCheck | null, nowMs: number): boolean =>
  next !== null && nameOf(next) === nameOf(check) && next.at - nowMs <= earlyMaxMs;

/** A check that cannot be sent is lost: the sweep finds its order. */
async function send(
  { checks, log }: Pick<DeadlineCheckPorts, 'checks' | 'log'>,
  next: readonly DeadlineCheck[],
) {
  if (next.length === 0) return;
  try {
    await checks.send(next);
  } catch (error) {
    log.warn('checks-lost', { checks: next.length, error: describeError(error) });
  }
}
