/** Compares the log of calls that operators see with the attempts that writes dispatched and that agents began. */
import { attemptOf } from '#checkers/send-checker.ts';
import type { Violation } from '#checkers/violation.ts';
import type { OrderContext } from '#core/decide/start-step.ts';
import { type ProcessRecord, underWay } from '#core/model/record.ts';
import { type Call, callsOf } from '#core/view/calls.ts';
import type { Write } from '#sim/ports/sim-table.ts';

/**
 * R15: the log has each dispatched attempt once, from the instant of its write to that of the write that ended it.
 *
 * @param begun when an agent first began with an attempt, by {@link attemptOf}
 */
export function checkCallLog(
  record: ProcessRecord,
  context: OrderContext,
  writes: readonly Write[],
  begun: ReadonlyMap<string, number>,
): Violation[] {
  // A shortened history no longer has the earlier calls.
  if (record.history.some(({ type }) => type === 'shortened')) return [];
  const { calls } = callsOf(record, context);
  const idOf = ({ step, attempt }: Pick<Call, 'step' | 'attempt'>) =>
    attemptOf(record.orderId, step, attempt);
  const logged = calls.map((call) => `${idOf(call)} ${call.action} ${call.from} to ${call.to}`);
  const dispatched = dispatchedBy(writes);
  const wrong = [...without(logged, dispatched), ...without(dispatched, logged)];
  const ids = new Set(calls.map(idOf));
  const unlogged = [...begun.keys()].filter(
    (id) => id.startsWith(`${record.orderId} `) && !ids.has(id),
  );
  return [...wrong, ...unlogged].map((call) => ({
    rule: 'R15',
    message: `the call ${call} is not the same in the log of calls`,
  }));
}

/** The attempts of one order, as its writes began and ended them. */
function dispatchedBy(writes: readonly Write[]): string[] {
  return writes.flatMap(({ after }, at) =>
    after.steps.flatMap(({ name, attempt, progress }, place) => {
      if (!underWay(progress) || writes[at - 1]?.after.steps[place]?.attempt === attempt) return [];
      const action = progress.state === 'Undoing' ? 'undo' : 'perform';
      const end = writes.slice(at + 1).find(({ after: later }) => {
        const step = later.steps[place];
        return step === undefined || step.attempt !== attempt || !underWay(step.progress);
      });
      const id = attemptOf(after.orderId, name, attempt);
      return [`${id} ${action} ${after.updatedAt} to ${end?.after.updatedAt ?? null}`];
    }),
  );
}

function without(some: readonly string[], others: readonly string[]): string[] {
  return some.filter((one) => !others.includes(one));
}
