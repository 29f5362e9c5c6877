/** What orders consumed, from the meter, the run and the log. */
import type { LogCount } from './count-log.ts';
import type { StoredBytes } from './item-bytes.ts';
import type { Meter } from './meter.ts';
import { type FunctionKind, gbOf, invocationMs } from './prices.ts';

/** Lambda's own log lines are off; API Gateway's access log has one line of this length per request. */
export const accessLogBytes = 150;

/** An amount for each kind of function. */
export type ByKind = Readonly<Record<FunctionKind, number>>;

/** What a run counts. */
export interface RunCounts {
  readonly invocations: ReadonlyMap<FunctionKind, number>;
  /** Messages that were delivered, by the function that took them. */
  readonly messages: ReadonlyMap<FunctionKind, number>;
  /** Changes of process records, as the change stream has them. */
  readonly changes: number;
  /** Those of them that change the process state: a submitter with `replyTo` is notified of each. */
  readonly stateChanges: number;
  /** Requests of the pollers: a receive and a delete for each batch. */
  readonly polls: number;
  /** Submissions, each of one order or of many. */
  readonly apiRequests: number;
  /** Of the orders that ended. */
  readonly stored: StoredBytes;
}

/** What was used up to an instant. */
interface Used {
  readonly writeUnits: number;
  /** Those of the Coordination table, in which limits are. */
  readonly coordinationUnits: number;
  /** Those of each table and index, by name. */
  readonly writeUnitsBy: Readonly<Record<string, number>>;
  readonly readUnits: number;
  /** Those of each table and index, by name. */
  readonly readUnitsBy: Readonly<Record<string, number>>;
  readonly sqsRequests: number;
  readonly invocationsBy: ByKind;
  readonly messagesBy: ByKind;
  readonly changes: number;
  readonly stateChanges: number;
  readonly events: number;
  readonly apiRequests: number;
  readonly logBytes: number;
  readonly stored: StoredBytes;
  /** Custom metrics that had data, since the begin of the run. */
  readonly metrics: number;
}

export interface Consumption extends Used {
  readonly orders: number;
  readonly invocations: number;
  readonly gbSeconds: number;
  readonly recordBytesMax: number;
  /** Of a sweep that finds nothing. */
  readonly idleSweep: { readonly readUnits: number; readonly writeUnits: number };
}

export function used(meter: Meter, run: RunCounts, log: LogCount): Used {
  return {
    writeUnits: meter.writeUnits,
    coordinationUnits: meter.coordinationUnits,
    writeUnitsBy: Object.fromEntries(meter.writeUnitsBy),
    readUnits: meter.readUnits,
    readUnitsBy: Object.fromEntries(meter.readUnitsBy),
    sqsRequests: meter.sends + run.polls,
    invocationsBy: byKind((kind) => run.invocations.get(kind) ?? 0),
    messagesBy: byKind((kind) => run.messages.get(kind) ?? 0),
    changes: run.changes,
    stateChanges: run.stateChanges,
    events: meter.events,
    apiRequests: run.apiRequests,
    logBytes: log.bytes(),
    stored: run.stored,
    metrics: log.metrics.size,
  };
}

/** What was used up to two instants. */
interface Between {
  readonly before: Used;
  readonly after: Used;
}

/** The first order and the end of the last one; and a sweep after it. */
interface Instants extends Between {
  readonly idleSweep: Between;
}

/** What orders used. */
export function consumption(
  orders: number,
  { before, after, idleSweep }: Instants,
  recordBytesMax: number,
): Consumption {
  const apiRequests = after.apiRequests - before.apiRequests;
  const invocationsBy = byKind((kind) => after.invocationsBy[kind] - before.invocationsBy[kind]);
  return {
    orders,
    writeUnits: after.writeUnits - before.writeUnits,
    coordinationUnits: after.coordinationUnits - before.coordinationUnits,
    writeUnitsBy: difference(after.writeUnitsBy, before.writeUnitsBy),
    readUnits: after.readUnits - before.readUnits,
    readUnitsBy: difference(after.readUnitsBy, before.readUnitsBy),
    sqsRequests: after.sqsRequests - before.sqsRequests,
    invocations: sumOf(invocationsBy),
    invocationsBy,
    messagesBy: byKind((kind) => after.messagesBy[kind] - before.messagesBy[kind]),
    changes: after.changes - before.changes,
    stateChanges: after.stateChanges - before.stateChanges,
    gbSeconds: gbSecondsOf(invocationsBy),
    apiRequests,
    events: after.events - before.events,
    logBytes: after.logBytes - before.logBytes + apiRequests * accessLogBytes,
    metrics: after.metrics,
    stored: {
      table: after.stored.table - before.stored.table,
      indexes: after.stored.indexes - before.stored.indexes,
    },
    recordBytesMax,
    idleSweep: {
      readUnits: idleSweep.after.readUnits - idleSweep.before.readUnits,
      writeUnits: idleSweep.after.writeUnits - idleSweep.before.writeUnits,
    },
  };
}

const difference = (
  after: Readonly<Record<string, number>>,
  before: Readonly<Record<string, number>>,
): Readonly<Record<string, number>> =>
  Object.fromEntries(
    Object.entries(after).map(([name, amount]) => [name, amount - (before[name] ?? 0)]),
  );

/** Of all functions together. */
export const sumOf = (amounts: ByKind): number =>
  Object.values(amounts).reduce((total, amount) => total + amount, 0);

/** What so many invocations take of memory and time. */
export const gbSecondsOf = (invocationsBy: ByKind): number =>
  sumOf(byKind((kind) => ((invocationsBy[kind] * invocationMs[kind]) / 1_000) * gbOf(kind)));

const byKind = (amountOf: (kind: FunctionKind) => number): ByKind => ({
  frontDoor: amountOf('frontDoor'),
  scheduler: amountOf('scheduler'),
  agent: amountOf('agent'),
  notifier: amountOf('notifier'),
  supervisor: amountOf('supervisor'),
});
