/**
 * What follows the writes of orders with a singleton key. An order that has ended leaves its line, and the next one is nudged; an
 * order that replaces those before it has them cancelled.
 *
 * Nothing here is needed for safety (R29): an order begins by what the store says of those before it. A crash after the write of an
 * order leaves its message unacknowledged, and its next delivery finds the same record; and an order that waits asks again.
 */

import { ahead, type Line, without } from '#core/flow/line.ts';
import { ReeveError, UnreadableDataError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { type Nudge, nudgeOf } from '#core/model/message.ts';
import {
  hasEnded,
  mayWaitForTurn,
  type OrderTurn,
  type ProcessRecord,
} from '#core/model/record.ts';
import type { Channel } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';
import type { Random } from '#ports/random.ts';
import type { StateStore } from '#ports/state-store.ts';
import { backOffMs, overtakenBackOff, pause } from '../delays.ts';
import type { Operator } from '../operator.ts';
import type { Outcome } from '../transitions/transitions.ts';
import { liveOrder } from './live-order.ts';

/** The ports of {@link lineKeeper}. */
export interface LineKeeperPorts {
  readonly store: Pick<StateStore, 'line' | 'changeLine' | 'records'>;
  readonly nudges: Channel<Nudge>;
  readonly operator: Pick<Operator, 'cancel'>;
  readonly clock: Clock;
  readonly random: Random;
}

/** See {@link lineKeeper}. */
export interface LineKeeper {
  /**
   * Does what follows from these outcomes; an outcome of which that failed is `failed`, so that its message is delivered again.
   * Outcomes of orders without a singleton key cost nothing.
   */
  follow(outcomes: readonly Outcome[]): Promise<readonly Outcome[]>;
}

type KeyedRecord = ProcessRecord & { readonly turn: OrderTurn };

/** Makes the keeper of lines, for a Scheduler. */
export function lineKeeper(ports: LineKeeperPorts): LineKeeper {
  const followed = async (outcome: Outcome): Promise<Outcome> => {
    if (!('record' in outcome)) return outcome;
    const { record } = outcome;
    if (!isKeyed(record)) return outcome;
    try {
      if (hasEnded(record)) await leave(ports, record);
      else if (replacesOthers(record)) await cancelOthers(ports, record);
      return outcome;
    } catch (error) {
      return { kind: 'failed', error };
    }
  };
  return {
    follow: async (outcomes) =>
      outcomes.some((outcome) => 'record' in outcome && isKeyed(outcome.record))
        ? Promise.all(outcomes.map(followed))
        : outcomes,
  };
}

const isKeyed = (record: ProcessRecord): record is KeyedRecord => record.turn !== undefined;

/** Not one that is being undone, or has stopped: it does not begin. */
const replacesOthers = (record: KeyedRecord): boolean =>
  record.turn.replaces === true &&
  record.processState === 'Pending' &&
  record.direction === 'forward' &&
  mayWaitForTurn(record);

async function leave(ports: LineKeeperPorts, { orderId, turn }: KeyedRecord): Promise<void> {
  const { store, clock, random } = ports;
  for (let tries = 1; tries <= limits.conflictRetriesMax; tries += 1) {
    const before = await store.line(turn.line);
    const { after, first } = await withoutEnded(store, without(before, orderId));
    const isSame = after.length === before.length;
    if (isSame || (await store.changeLine({ name: turn.line, before, after }))) {
      if (first !== null && mayWaitForTurn(first)) await ports.nudges.send([nudgeOf(first)]);
      return;
    }
    await pause(clock, backOffMs(overtakenBackOff, tries, random));
  }
  throw new ReeveError(
    'contention',
    `The line of order ${orderId} changed ${limits.conflictRetriesMax} times while it was to leave it. It will be tried again.`,
  );
}

/** The line from its first live order on; `first`: null where none is left, or it cannot be read. */
async function withoutEnded(
  store: Pick<StateStore, 'records'>,
  line: Line,
): Promise<{ readonly after: Line; readonly first: ProcessRecord | null }> {
  for (const [at, orderId] of line.entries()) {
    const live = await liveOrder(store, orderId);
    if (live !== null) return { after: line.slice(at), first: live === 'unreadable' ? null : live };
  }
  return { after: [], first: null };
}

async function cancelOthers(
  { store, operator }: LineKeeperPorts,
  { orderId, turn }: KeyedRecord,
): Promise<void> {
  for (const other of ahead(await store.line(turn.line), orderId)) {
    const live = await liveOrder(store, other);
    if (live === null || live === 'unreadable' || live.direction === 'undo') continue;
    await cancelReadable(operator, other, orderId);
  }
}

/** One that can be undone no more goes on, and the new order waits until it has ended. */
async function cancelReadable(
  operator: Pick<Operator, 'cancel'>,
  other: OrderId,
  by: OrderId,
): Promise<void> {
  try {
    await operator.cancel(other, `order ${by}`);
  } catch (error) {
    if (!(error instanceof UnreadableDataError)) throw error;
  }
}
