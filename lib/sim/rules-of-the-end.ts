/** What must hold when everything has come to rest: of the whole story, and not only of its last page. */

import type { OrderId } from '#core/ids.ts';
import { findStep, type ProcessRecord } from '#core/record.ts';
import { decodeRecord, encodeRecord } from '#core/record-codec.ts';
import { replay } from '#core/replay.ts';
import type { WorkflowDefinition } from '#core/workflow-definition.ts';
import { contradictionIn, type Operation } from './operations.ts';
import type { Breach } from './rules.ts';
import { isSame } from './same.ts';
import type { Books } from './services.ts';
import type { SimTable, Write } from './sim-table.ts';

export interface Told {
  readonly orderId: OrderId;
  readonly sequence: number;
  readonly correlationId: string | null;
}

export interface End {
  readonly table: SimTable;
  readonly definitionOf: (record: ProcessRecord) => WorkflowDefinition;
  readonly writes: readonly Write[];
  readonly operations: readonly Operation[];
  readonly books: Books;
  /** What submitters and operators were told. */
  readonly responses: readonly Told[];
  readonly alerts: readonly Told[];
}

export function judgeEnd(end: End, breach: Breach): void {
  for (const orderId of end.table.orderIds()) {
    const record = end.table.record(orderId);
    const order = end.table.order(orderId);
    if (record === undefined || order === undefined) {
      breach('R1', `${orderId} has ${record === undefined ? 'no record' : 'no details'}`);
      continue;
    }
    judgeOutcome(record, end, breach);
    const definition = end.definitionOf(record);
    judgeHistory(record, { definition, details: order.details }, breach);
  }
  judgeStored(end.writes.at(-1)?.after, breach);
  judgeOperations(end.operations, breach);
  judgeTelling(end, breach);
}

/** R5, R10, R16: it has ended, and the services' books say the same as the record, to the unit. */
function judgeOutcome(record: ProcessRecord, { books, definitionOf }: End, breach: Breach): void {
  const { orderId, processState, steps } = record;
  if (processState !== 'Processed' && processState !== 'Undone') {
    breach('R16', `${orderId} never ended: it is ${processState}`);
    return;
  }
  for (const { name, undo } of definitionOf(record).steps) {
    const units = unitsOf(books, orderId, name);
    const state = findStep({ steps }, name)?.progress.state;
    const due = processState === 'Processed' && state === 'Completed' ? 1 : 0;
    const mayStay = processState === 'Undone' && undo !== 'offered' && state !== 'Completed';
    if (units === due || mayStay) continue;
    const rule = units > due && processState === 'Processed' ? 'R5' : 'R10';
    breach(
      rule,
      `${orderId} is ${processState}, and ${name} has ${units} on the books, not ${due}`,
    );
  }
}

function unitsOf(books: Books, orderId: OrderId, step: string): number {
  let units = 0;
  for (const [key, effect] of books) {
    const [order, rest = ''] = key.split('/');
    if (order === orderId && rest.split('#')[0] === step && effect === 'applied') units += 1;
  }
  return units;
}

/** R15: the history gives the stored record. */
function judgeHistory(
  record: ProcessRecord,
  known: Parameters<typeof replay>[1],
  breach: Breach,
): void {
  // What its store refused was written in short, and says so.
  if (record.history.some(({ type }) => type === 'shortened')) return;
  try {
    const replayed = replay(record, known).at(-1);
    if (!isSame({ ...replayed, writeId: record.writeId }, record)) {
      breach('R15', `the history of ${record.orderId} gives another record`);
    }
  } catch (error) {
    breach('R15', error instanceof Error ? error.message : 'the history does not replay');
  }
}

/** R15: what is stored is read back as it was. One record stands for all: a million will be seen. */
function judgeStored(record: ProcessRecord | undefined, breach: Breach): void {
  if (record === undefined) return;
  const stored: unknown = JSON.parse(JSON.stringify(encodeRecord(record)));
  if (!isSame(decodeRecord(stored), record)) {
    breach('R15', `${record.orderId} is read back as something else`);
  }
}

/** R3, R11, R12: what the store answered fits one order of events. */
function judgeOperations(operations: readonly Operation[], breach: Breach): void {
  for (const [orderId, own] of Map.groupBy(operations, ({ orderId: id }) => id)) {
    const problem = contradictionIn(own);
    if (problem !== null) breach('R3', `${orderId}: ${problem}`);
  }
}

/** R17, R18: who was to be told has been told, each change by its number and its submitter's own name for it, and nothing that did not happen. */
function judgeTelling({ writes, responses, alerts }: End, breach: Breach): void {
  const idOf = ({ orderId, sequence, correlationId }: Told) =>
    `${orderId} ${sequence} ${correlationId}`;
  const answered = new Set(responses.map(idOf));
  const alerted = new Set(alerts.map(idOf));
  for (const { before, after } of writes) {
    if (before?.processState === after.processState) continue;
    const { orderId, revision: sequence, processState, replyTo, correlationId } = after;
    const id = idOf({ orderId, sequence, correlationId });
    if (processState === 'Error' && !alerted.delete(id)) breach('R17', `no alert for ${id}`);
    if (replyTo !== null && !answered.delete(id)) {
      breach('R18', `nobody was told that ${orderId} became ${processState} with ${sequence}`);
    }
  }
  const [wrongAlert] = alerted;
  const [wrongAnswer] = answered;
  if (wrongAlert !== undefined) breach('R17', `an alert for ${wrongAlert}, which is no Error`);
  if (wrongAnswer !== undefined) breach('R18', `a status for ${wrongAnswer}, which is no change`);
}
