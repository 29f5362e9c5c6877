/** What orders consumed, from the meter, the run and the log. */
import type { LogCount } from './count-log.ts';
import type { Meter } from './meter.ts';
import { type FunctionKind, gbOf, invocationMs } from './prices.ts';

/** Lambda's own log lines are off; API Gateway's access log has one line of this length per request. */
const accessLogBytes = 150;

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
  readonly logBytes: number;
  /** Custom metrics that had data, since the begin of the run. */
  readonly metrics: number;
}

export interface Consumption extends Used {
  readonly orders: number;
  readonly invocations: number;
  readonly gbSeconds: number;
  readonly apiRequests: number;
  readonly recordBytesMax: number;
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
    logBytes: log.bytes(),
    metrics: log.metrics.size,
  };
}

/** What was used from one instant to the other. */
export function consumption(
  orders: number,
  before: Used,
  after: Used,
  recordBytesMax: number,
): Consumption {
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
    apiRequests: orders,
    events: after.events - before.events,
    logBytes: after.logBytes - before.logBytes + orders * accessLogBytes,
    metrics: after.metrics,
    recordBytesMax,
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
