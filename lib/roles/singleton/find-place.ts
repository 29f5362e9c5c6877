/**
 * The place of a new order among those with its singleton key. The answer holds for the line as it was read, so the order is stored
 * only where the line is still the same (R29).
 */

import { debounced, replacedBy } from '#core/decide/singleton/debounce.ts';
import type { Debounce, Singleton } from '#core/definition/singleton.ts';
import { type Line, without } from '#core/flow/line.ts';
import { type LineName, lineName, type OrderId, type WriteId } from '#core/model/ids.ts';
import { canonicalJson } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import type { Command } from '#core/model/message.ts';
import { hasEnded, type OrderTurn, type ProcessRecord } from '#core/model/record.ts';
import type { Digest } from '#ports/random.ts';
import type { LineJoin, StateStore } from '#ports/state-store.ts';
import { liveAmong } from './live-order.ts';

/** The order is stored so. */
export interface FoundPlace {
  readonly kind: 'place';
  /** When it counts as submitted, ms since the epoch: not before those that were stored before it. */
  readonly at: number;
  readonly turn: OrderTurn;
  /** Made together with the order. */
  readonly change: LineJoin;
  /** No claim before this instant, ms since the epoch. Default: it may be claimed at once. */
  readonly notBefore?: number;
  /** What the order that it replaces requires, once both are stored. */
  readonly commands: readonly Command[];
}

/** What becomes of an order with a singleton key. */
export type Place =
  | FoundPlace
  /** An earlier order is live, and the rule is `skip`: it is the answer, and nothing is stored. */
  | { readonly kind: 'taken'; readonly by: ProcessRecord }
  /** As many orders of the key as a line holds have not ended. */
  | { readonly kind: 'full' };

/** The order that is to be stored. */
export interface NewOrder {
  readonly orderId: OrderId;
  /** For the write of the order that it replaces. */
  readonly writeId: () => WriteId;
  readonly now: () => number;
}

/** The line of a key: each workflow and each tenant has its own, so that no tenant learns of an order of another. */
export function lineOf(
  digest: Digest,
  workflow: string,
  tenant: string | null,
  key: string,
): LineName {
  return lineName(digest(canonicalJson([workflow, tenant, key])).slice(0, 40));
}

/** @throws {UnreadableDataError} where the rule is `skip` or `debounce`, and an earlier order cannot be read */
export async function findPlace(
  store: Pick<StateStore, 'line' | 'records'>,
  { else: rule, debounce }: Pick<Singleton, 'else' | 'debounce'>,
  name: LineName,
  order: NewOrder,
): Promise<Place> {
  const { orderId } = order;
  const before = await store.line(name);
  // An order of the line with this id is stored already, as creating it says, or was deleted: then those behind it may have begun.
  const others = without(before, orderId);
  if (rule === 'skip') {
    const by = await firstLive(store, others);
    return by === null
      ? placed(order.now(), before, [orderId], { line: name })
      : { kind: 'taken', by };
  }
  if (debounce !== undefined) {
    return placedAfterQuiet(store, await lastOf(store, others), { before, name, order, debounce });
  }
  const left = await withRoom(store, others);
  if (left === null) return { kind: 'full' };
  const behind = left.at(-1);
  return placed(order.now(), before, [...left, orderId], {
    line: name,
    ...(behind !== undefined && { behind }),
    ...(behind !== undefined && rule === 'replace' && replaces),
  });
}

const replaces = { replaces: true } as const;

const placed = (at: number, before: Line, after: Line, turn: OrderTurn): FoundPlace => ({
  kind: 'place',
  at,
  turn,
  change: { name: turn.line, before, after },
  commands: [],
});

/** One read of the line, however long it is: those that have ended are looked for only where there is no room. Null: all are live. */
async function withRoom(store: Pick<StateStore, 'records'>, line: Line): Promise<Line | null> {
  const left = line.length < limits.lineMax ? line : await liveAmong(store, line);
  return left.length < limits.lineMax ? left : null;
}

/** The others of a line, and the record of the last of them if it is live. */
interface WithLast {
  readonly others: Line;
  readonly last: ProcessRecord | null;
}

async function lastOf(store: Pick<StateStore, 'records'>, line: Line): Promise<WithLast> {
  const orderId = line.at(-1);
  if (orderId === undefined) return { others: line, last: null };
  const record = (await store.records([orderId])).get(orderId);
  return record === undefined || hasEnded(record)
    ? { others: line.slice(0, -1), last: null }
    : { others: line, last: record };
}

/**
 * The last order of the line is replaced if it has not begun, and leaves the line in the same write: it can begin no more, and keeps
 * none waiting. So a line has one order at most that waits for later ones, however many are submitted.
 */
async function placedAfterQuiet(
  store: Pick<StateStore, 'records'>,
  { others, last }: WithLast,
  { before, name, order, debounce }: Quiet,
): Promise<Place> {
  const { orderId } = order;
  // The instant of this try: others may have come first for some time.
  const at = order.now();
  const replaced = last && replacedBy(last, orderId, at);
  const left = await withRoom(store, replaced === null ? others : others.slice(0, -1));
  if (left === null) return { kind: 'full' };
  const behind = left.at(-1);
  const { since, notBefore } = debounced(debounce, replaced && last, at);
  const turn = { line: name, ...(behind !== undefined && { behind }), since };
  const place = { ...placed(at, before, [...left, orderId], turn), notBefore };
  if (replaced === null) return place;
  const next = { ...replaced.record, writeId: order.writeId() };
  return {
    ...place,
    change: { ...place.change, replaced: next },
    commands: replaced.commands,
  };
}

interface Quiet {
  readonly before: Line;
  readonly name: LineName;
  readonly order: NewOrder;
  readonly debounce: Debounce;
}

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
