/**
 * A sweep looks ahead: orders that wait for longer than a message can be delayed get their delayed messages when they are due
 * within two sweep periods. Nothing is written, so a message that is lost or sent twice changes nothing: the sweep
 * finds the order when it is due.
 */
import { farCheck } from '#core/decide/checks/deadline-check.ts';
import { describeError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { type DeadlineCheck, delayedNudgeOf, type Nudge } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Channel } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Page, StateStore } from '#ports/state-store.ts';
import { readableRecords } from './readable-records.ts';

/** The ports of {@link lookAhead}. */
export interface LookAheadPorts {
  readonly store: Pick<StateStore, 'due' | 'records'>;
  readonly nudges: Channel<Nudge>;
  /** Where the deadlines of calls are checked. Default: nowhere, so that sweeps find them. */
  readonly checks?: Channel<DeadlineCheck>;
  readonly clock: Clock;
  readonly log: Log;
  /** From one sweep to the next, ms. */
  readonly sweepPeriodMs: number;
}

/** Sends the delayed messages of one shard. Never rejects: without them, orders wait for the sweep. */
export async function lookAhead(ports: LookAheadPorts, shard: number): Promise<void> {
  const { store, nudges, checks, clock, log, sweepPeriodMs } = ports;
  const from = clock.now() + 1;
  // Two periods, because the next sweep may be late; then its orders get a second message, which does nothing.
  const to = from + Math.min(2 * sweepPeriodMs, limits.messageDelayMaxMs);
  try {
    const found = await readableRecords(store, await farOrders(store, { shard, from, to }));
    const delayed = found.flatMap((record) => waitOf(record, from) ?? []);
    if (delayed.length > 0) await nudges.send(delayed);
    if (checks === undefined) return;
    const far = found.flatMap((record) => farCheck(record, from) ?? []);
    if (far.length > 0) await checks.send(far);
  } catch (error) {
    log.warn('look-ahead-failed', { shard, error: describeError(error) });
  }
}

/** The nudge of an order that waits from then on; null when it waits for nothing. */
function waitOf(record: ProcessRecord, from: number): Nudge | null {
  const { processState, notBefore } = record;
  return processState === 'Pending' && notBefore >= from ? delayedNudgeOf(record, notBefore) : null;
}

interface Range {
  readonly shard: number;
  readonly from: number;
  readonly to: number;
}

/** Entries of the index read at once, and pages at most: most entries are of orders that are not far. */
const page = { limit: 10_000, max: 20 };

/** At most {@link limits.lookAheadMax}, earliest first. */
async function farOrders(
  store: Pick<StateStore, 'due'>,
  range: Range,
): Promise<readonly OrderId[]> {
  const found: OrderId[] = [];
  let cursor: string | null = null;
  for (let pages = 0; pages < page.max && found.length < limits.lookAheadMax; pages += 1) {
    const next: Page<OrderId> = await store.due({ ...range, limit: page.limit, cursor, far: true });
    found.push(...next.items);
    cursor = next.cursor;
    if (cursor === null) break;
  }
  return found.slice(0, limits.lookAheadMax);
}
