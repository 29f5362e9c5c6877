/** Records as server-sent events, each serialised once for all followers. */

import type { ProcessRecord } from '#core/model/record.ts';
import { nextActions } from '#core/view/next-actions.ts';
import { historyView } from '#http/view.ts';

export interface OrderEvents {
  /** The summary of the order. */
  order(record: ProcessRecord): Uint8Array;
  /** The same as the last event of a stream, because the order has ended. */
  ended(record: ProcessRecord): Uint8Array;
  /** The entry of its history at this place, which has this number. */
  history(record: ProcessRecord, at: number, number: number): Uint8Array;
}

/** The id of the last event of an order that has ended: a reader that has received it needs no further stream. */
export const endedId = 'ended';

const encoder = new TextEncoder();

/** Serialises an event; `data` as JSON, which contains no line breaks. */
export function eventOf(event: string, data: unknown, id: string | null = null): Uint8Array {
  const tag = id === null ? '' : `id: ${id}\n`;
  return encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n${tag}\n`);
}

/** A comment, because proxies close idle connections. */
export const keepAlive = encoder.encode(':\n\n');

/** @param write serialises an event */
export function orderEvents(write: typeof eventOf = eventOf): OrderEvents {
  const written = new WeakMap<ProcessRecord, Map<string, Uint8Array>>();
  const once = (record: ProcessRecord, key: string, make: () => Uint8Array): Uint8Array => {
    const own = written.get(record) ?? new Map<string, Uint8Array>();
    written.set(record, own);
    const bytes = own.get(key) ?? make();
    own.set(key, bytes);
    return bytes;
  };
  return {
    order: (record) => once(record, 'order', () => write('order', changeView(record))),
    ended: (record) => once(record, 'ended', () => write('order', changeView(record), endedId)),
    history: (record, at, number) =>
      once(record, String(at), () => {
        const entry = record.history[at];
        return write('history', entry === undefined ? null : historyView(entry), String(number));
      }),
  };
}

function changeView(record: ProcessRecord) {
  const { orderId, workflow, revision, processState, direction, priority, fault } = record;
  const last = record.history.at(-1);
  return {
    orderId,
    workflow,
    revision,
    processState,
    direction,
    priority,
    fault,
    last: last === undefined ? null : historyView(last),
    actions: nextActions(record),
    steps: Object.fromEntries(record.steps.map(({ name, progress }) => [name, progress.state])),
  };
}
