/** Replies that arrived together share one write, and each decision is checked as if it had been written separately. */
import type { Breach } from '#checkers/violation.ts';
import { describeError } from '#core/model/errors.ts';
import type { Order } from '#core/model/record.ts';
import { replayWrite } from '#core/view/replay.ts';
import type { Subject } from '#sim/orders/subject.ts';
import type { Write } from '#sim/ports/sim-table.ts';
import { definitionOf } from './write-observer.ts';

/** One write per decision, each with the write id of the whole. */
export function decisionsOf(
  subject: Pick<Subject, 'registries'>,
  write: Write,
  order: Order | undefined,
  breach: Breach,
): readonly Write[] {
  const { before, after } = write;
  if (before === null || order === undefined || after.revision === before.revision + 1) {
    return [write];
  }
  const known = { definition: definitionOf(subject, after), details: order.details };
  try {
    let last = before;
    return replayWrite(before, after, known).map((revision) => {
      const decision = { ...write, before: last, after: { ...revision, writeId: after.writeId } };
      last = decision.after;
      return decision;
    });
  } catch (error) {
    breach('R15', `a write of several decisions does not replay: ${describeError(error)}`);
    return [write];
  }
}
