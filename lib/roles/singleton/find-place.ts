/**
 * The place of a new order among those with its singleton key. The answer holds for the line as it was read, so the order is stored
 * only where the line is still the same (R29).
 */

import type { Singleton } from '#core/definition/singleton.ts';
import { type Line, without } from '#core/flow/line.ts';
import { type LineName, lineName, type OrderId } from '#core/model/ids.ts';
import { canonicalJson } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import type { OrderTurn, ProcessRecord } from '#core/model/record.ts';
import type { Digest } from '#ports/random.ts';
import type { LineChange, StateStore } from '#ports/state-store.ts';
import { hasEnded, liveAmong } from './live-order.ts';

/** What becomes of an order with a singleton key. */
export type Place =
  /** It is stored with this turn, together with this change. */
  | { readonly kind: 'place'; readonly turn: OrderTurn; readonly change: LineChange }
  /** An earlier order is live, and the rule is `skip`: it is the answer, and nothing is stored. */
  | { readonly kind: 'taken'; readonly by: ProcessRecord }
  /** As many orders of the key as a line holds have not ended. */
  | { readonly kind: 'full' };

/** The line of a key: each workflow and each tenant has its own, so that no tenant learns of an order of another. */
export function lineOf(
  digest: Digest,
  workflow: string,
  tenant: string | null,
  key: string,
): LineName {
  return lineName(digest(canonicalJson([workflow, tenant, key])).slice(0, 40));
}

/** @throws {UnreadableDataError} where the rule is `skip`, and an earlier order cannot be read */
export async function findPlace(
  store: Pick<StateStore, 'line' | 'records'>,
  { else: rule }: Pick<Singleton, 'else'>,
  name: LineName,
  orderId: OrderId,
): Promise<Place> {
  const before = await store.line(name);
  // An order of the line with this id is stored already, as creating it says, or was deleted: then those behind it may have begun.
  const others = without(before, orderId);
  if (rule === 'skip') {
    const by = await firstLive(store, others);
    return by === null ? placed(before, [orderId], { line: name }) : { kind: 'taken', by };
  }
  // One read of the line, however long it is: those that have ended are looked for only where there is no room.
  const left = others.length < limits.lineMax ? others : await liveAmong(store, others);
  if (left.length >= limits.lineMax) return { kind: 'full' };
  const behind = left.at(-1);
  return placed(before, [...left, orderId], {
    line: name,
    ...(behind !== undefined && { behind }),
    ...(behind !== undefined && rule === 'replace' && replaces),
  });
}

const replaces = { replaces: true } as const;

const placed = (before: Line, after: Line, turn: OrderTurn): Place => ({
  kind: 'place',
  turn,
  change: { name: turn.line, before, after },
});

async function firstLive(
  store: Pick<StateStore, 'records'>,
  line: Line,
): Promise<ProcessRecord | null> {
  if (line.length === 0) return null;
  const records = await store.records(line);
  for (const orderId of line) {
    const record = records.get(orderId);
    if (record !== undefined && !hasEnded(record)) return record;
  }
  return null;
}
