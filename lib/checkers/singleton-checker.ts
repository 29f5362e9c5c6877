/**
 * Checks the orders of singleton keys (R29): an order begins a call only when all that were put into the line of its key before it have
 * ended, so that one of them works at a time.
 */
import type { Breach } from '#checkers/violation.ts';
import type { LineName, OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';

/** An order of a line, as it was last written. */
interface Placed {
  readonly orderId: OrderId;
  hasBegun: boolean;
  hasEnded: boolean;
}

/** Returns the function to call with each record that was written, in the order of the writes. */
export function singletonBreaches(breach: Breach): (record: ProcessRecord) => void {
  const lines = new Map<LineName, Placed[]>();

  function placeOf(line: Placed[], orderId: OrderId): Placed {
    const known = line.find((other) => other.orderId === orderId);
    if (known !== undefined) return known;
    const placed = { orderId, hasBegun: false, hasEnded: false };
    line.push(placed);
    return placed;
  }

  return ({ orderId, turn, processState, steps }) => {
    if (turn === undefined) return;
    const line = lines.get(turn.line) ?? [];
    lines.set(turn.line, line);
    const own = placeOf(line, orderId);
    if (!own.hasBegun && steps.some(({ attempt }) => attempt > 0)) {
      own.hasBegun = true;
      const before = line.slice(0, line.indexOf(own)).find(({ hasEnded }) => !hasEnded);
      if (before !== undefined) {
        breach('R29', `${orderId} has begun, and ${before.orderId} of its key has not ended`);
      }
    }
    own.hasEnded = processState === 'Processed' || processState === 'Undone';
    // An order that found the line empty waits for no other: there must be none.
    const isFirst = steps.every(({ attempt }) => attempt === 0) && turn.behind === undefined;
    const live = line.find((other) => other !== own && !other.hasEnded);
    if (isFirst && !own.hasEnded && live !== undefined && line.indexOf(live) < line.indexOf(own)) {
      breach('R29', `${orderId} waits for no other, and ${live.orderId} of its key has not ended`);
    }
  };
}
