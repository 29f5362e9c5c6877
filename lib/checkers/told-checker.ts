/** What submitters and operators are told, of all writes of a world. */
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { RecordPair } from './transition.ts';
import type { RuleName, Violation } from './violation.ts';

export interface Told {
  readonly orderId: OrderId;
  readonly sequence: number;
  readonly correlationId: string | null;
}

/** R17: each change to Error raises an alert, and nothing else does. */
export const checkAlerts = toldOf('R17', ({ processState }) => processState === 'Error');

/** R18: each change of an order that has a response channel is told there, by its number and the submitter's name for it. */
export const checkResponses = toldOf('R18', ({ replyTo }) => replyTo !== null);

function toldOf(rule: RuleName, concerns: (after: ProcessRecord) => boolean) {
  const textOf = ({ orderId, sequence, correlationId }: Told) =>
    `${orderId} ${sequence} ${correlationId}`;
  return (writes: readonly RecordPair[], told: readonly Told[]): readonly Violation[] => {
    const left = new Set(told.map(textOf));
    const untold = writes
      .filter(({ before, after }) => before?.processState !== after.processState && concerns(after))
      .map(({ after }) => textOf({ ...after, sequence: after.revision }))
      .filter((text) => !left.delete(text));
    return [
      ...untold.map((text) => ({ rule, message: `nobody was told of ${text}` })),
      ...[...left].map((text) => ({ rule, message: `${text} was told, and is no change` })),
    ];
  };
}
