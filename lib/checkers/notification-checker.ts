/** Compares the notifications of submitters and operators with all writes of a world. */
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { RecordPair } from './transition.ts';
import type { RuleName, Violation } from './violation.ts';

/** A notification that was delivered. */
export interface Notified {
  readonly orderId: OrderId;
  readonly sequence: number;
  readonly correlationId: string | null;
}

/** R17: each change to Error raises an alert, and nothing else does. */
export const checkAlerts = notificationChecker(
  'R17',
  ({ processState }) => processState === 'Error',
);

/** R18: a response channel receives every change of its orders, with sequence and correlation id. */
export const checkResponses = notificationChecker('R18', ({ replyTo }) => replyTo !== null);

function notificationChecker(rule: RuleName, concerns: (after: ProcessRecord) => boolean) {
  const textOf = ({ orderId, sequence, correlationId }: Notified) =>
    `${orderId} ${sequence} ${correlationId}`;
  return (writes: readonly RecordPair[], notified: readonly Notified[]): readonly Violation[] => {
    const left = new Set(notified.map(textOf));
    const missing = writes
      .filter(({ before, after }) => before?.processState !== after.processState && concerns(after))
      .map(({ after }) => textOf({ ...after, sequence: after.revision }))
      .filter((text) => !left.delete(text));
    return [
      ...missing.map((text) => ({ rule, message: `no notification of ${text}` })),
      ...[...left].map((text) => ({
        rule,
        message: `notification of ${text}, which is not a change`,
      })),
    ];
  };
}
