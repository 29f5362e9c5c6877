/** The rules that are checked over the whole history of a world when nothing is pending any more. */

import {
  checkCause,
  checkEnded,
  checkHistory,
  checkSize,
  checkStored,
} from '#checkers/end-checker.ts';
import { checkAlerts, checkResponses } from '#checkers/notification-checker.ts';
import type { Breach, Violation } from '#checkers/violation.ts';
import { replay } from '#core/view/replay.ts';
import { clocksWereRight } from '#sim/faults/fault-rates.ts';
import type { SharedInfrastructure } from '#sim/world/shared-infrastructure.ts';
import { checkCallLog } from './call-log-checker.ts';
import { contradictionIn, type Operation } from './operations.ts';
import { definitionOf } from './write-observer.ts';

/** Of so many writes, the codec is checked with the record of one. */
const storedEvery = 50;

export function judgeEnd(
  { around, table, agents, responses, alerts, observer, begun }: SharedInfrastructure,
  breach: Breach,
): void {
  const { writes, operations } = observer;
  const report = (...violations: readonly (Violation | null)[]) => {
    for (const one of violations) if (one !== null) breach(one.rule, one.message);
  };
  const writesOf = Map.groupBy(writes, ({ after }) => after.orderId);
  for (const orderId of table.orderIds()) {
    const record = table.record(orderId);
    const order = table.order(orderId);
    if (record === undefined || order === undefined) {
      breach('R1', `${orderId} has ${record === undefined ? 'no record' : 'no details'}`);
      continue;
    }
    const definition = definitionOf(around.subject, record);
    const known = { definition, details: order.details };
    const own = writesOf.get(orderId) ?? [];
    const written = new Map(own.map(({ after }) => [after.revision, after] as const));
    report(
      checkEnded(record),
      // By a clock that is days ahead, a hold has lasted for as long as its policy allows.
      clocksWereRight(around.faults.hits) ? checkCause(record) : null,
      agents.effectsBreach(record, definition),
      checkHistory(
        record,
        () => replay(record, known),
        (revision) => written.get(revision),
      ),
      ...checkCallLog(record, known, own, begun),
    );
  }
  // Some records per world suffice: simulations check millions.
  for (const [at, { after }] of writes.entries()) {
    const isLast = at === writes.length - 1;
    if (isLast || at % storedEvery === 0) report(checkStored(after), checkSize(after));
  }
  judgeOperations(operations.operations, breach);
  report(...checkAlerts(writes, alerts.all), ...checkResponses(writes, responses));
}

/** R3, R11, R12: the answers of the store fit one sequence of events. */
function judgeOperations(operations: readonly Operation[], breach: Breach): void {
  for (const [orderId, own] of Map.groupBy(operations, ({ orderId: id }) => id)) {
    const problem = contradictionIn(own);
    if (problem !== null) breach('R3', `${orderId}: ${problem}`);
  }
}
