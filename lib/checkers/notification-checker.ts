/** Compares the notifications of submitters and operators with all writes of a world. */
import type { Change } from '#core/model/change.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { isSame } from './same-document.ts';
import type { RecordPair } from './transition.ts';
import type { RuleName, Violation } from './violation.ts';

/** A notification that was delivered. */
export type Notified = Omit<Change, 'tried'>;

/** R17: each change to Error raises an alert, and nothing else does. */
export const checkAlerts = notificationChecker(
  'R17',
  ({ processState }) => processState === 'Error',
);

/** R18: a response channel receives every change of its orders, with its content. */
export const checkResponses = notificationChecker('R18', ({ replyTo }) => replyTo !== null);

function notificationChecker(rule: RuleName, concerns: (after: ProcessRecord) => boolean) {
  return (writes: readonly RecordPair[], notified: readonly Notified[]): readonly Violation[] => {
    const left = Map.groupBy(notified, idOf);
    const violations: Violation[] = [];
    for (const write of writes) {
      if (write.before?.processState === write.after.processState || !concerns(write.after))
        continue;
      const change = changeIn(write);
      const received = left.get(idOf(change)) ?? [];
      left.delete(idOf(change));
      if (received.length === 0) {
        violations.push({ rule, message: `no notification of ${idOf(change)}` });
      }
      const wrong = received.find((one) => !isSame(one, change));
      if (wrong === undefined) continue;
      const message = `a notification says ${JSON.stringify(wrong)}, not ${JSON.stringify(change)}`;
      violations.push({ rule, message });
    }
    for (const id of left.keys()) {
      violations.push({ rule, message: `notification of ${id}, which is not a change` });
    }
    return violations;
  };
}

const idOf = ({ orderId, sequence }: Pick<Notified, 'orderId' | 'sequence'>) =>
  `${orderId} ${sequence}`;

/** What is to be said of a write that changed the process state. */
function changeIn({ before, after }: RecordPair): Notified {
  const { orderId, workflow, workflowVersion, processState, direction, fault } = after;
  const { priority, tenant, replyTo, correlationId } = after;
  return {
    ...{ orderId, workflow, workflowVersion, processState, direction, fault },
    ...{ priority, tenant, replyTo, correlationId },
    previousState: before?.processState ?? null,
    sequence: after.revision,
    at: after.updatedAt,
  };
}
