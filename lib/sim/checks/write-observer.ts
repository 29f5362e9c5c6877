/** Observes every write and effect: records it, traces it, and checks it at once. */

import { attemptChecker } from '#checkers/attempt-checker.ts';
import { doubtChecker } from '#checkers/doubt-checker.ts';
import { singletonBreaches } from '#checkers/singleton-checker.ts';
import type { Breach } from '#checkers/violation.ts';
import { checkWrite } from '#checkers/write-checker.ts';
import { dueAt } from '#core/decide/due.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { IdempotencyKey } from '#core/model/ids.ts';
import type { ProcessRecord, StepRecord } from '#core/model/record.ts';
import type { Subject } from '#sim/orders/subject.ts';
import type { Write } from '#sim/ports/sim-table.ts';
import type { SimContext } from '#sim/world/sim-context.ts';
import { type Effect, stepNameOf } from '#sim/world/sim-services.ts';
import { type OperationLog, operationLog } from './operations.ts';

export interface WriteObserver {
  readonly writes: readonly Write[];
  readonly operations: OperationLog;
  wrote(write: Write): void;
  took(key: IdempotencyKey, effect: Effect, record: ProcessRecord | undefined): void;
  /** Two domains of a pool have the same effect. */
  tookTwice(key: IdempotencyKey): void;
}

export function writeObserver(
  { trace, subject }: Pick<SimContext, 'trace' | 'subject'>,
  breach: Breach,
): WriteObserver {
  const writes: Write[] = [];
  const placed = singletonBreaches(
    breach,
    (record) => definitionOf(subject, record).singleton?.debounce,
  );
  const checkers = [
    doubtChecker(breach),
    attemptChecker(breach),
    ({ after }: Write) => placed(after),
  ];

  function judge(before: ProcessRecord, after: ProcessRecord): void {
    const definition = definitionOf(subject, after);
    // The instant and the agent of a write's event are unknown here and taken from the record.
    const seen = { at: after.updatedAt, agent: null, due: dueAt(after) };
    for (const { rule, message } of checkWrite({ before, after, definition, ...seen })) {
      breach(rule, message);
    }
  }

  /** An agent whose undo is unneeded has no effect that would have to be undone. */
  function isHarmless(key: IdempotencyKey, record: ProcessRecord): boolean {
    const { steps } = definitionOf(subject, record);
    return steps.some(({ name, undo }) => undo === 'unneeded' && name === stepNameOf(key));
  }

  return {
    writes,
    operations: operationLog(),
    wrote(write) {
      const { before, after, by } = write;
      writes.push(write);
      trace.record(`${by} writes ${textOf(after)}`);
      if (before !== null) judge(before, after);
      for (const check of checkers) check(write);
      const foreign = after.steps.find((step) => isForeign(subject, step));
      if (foreign !== undefined) breach('R6', `${foreign.name} has the output of another agent`);
    },
    tookTwice: (key) =>
      breach('R25', `${key} took effect beside another domain or key of its step`),
    took(key, effect, record) {
      trace.record(`effect: ${key} ${effect}`);
      if (record === undefined) return;
      const state = record.processState;
      if (state === 'Undone' && effect === 'applied' && !isHarmless(key, record)) {
        breach('R10', `${key} took effect after the order was Undone`);
      }
      if (state === 'Processed' && effect === 'undone') {
        breach('R10', `${key} was undone after the order was Processed`);
      }
    },
  };
}

const isForeign = (subject: Subject, { agent, progress }: StepRecord) =>
  progress.state === 'Completed' && !subject.isOwnOutput(agent, progress.output);

/** The definition of an order; the newest release has all of them. */
export function definitionOf(
  { registries }: Pick<Subject, 'registries'>,
  record: ProcessRecord,
): WorkflowDefinition {
  const definition = registries.new.of(record);
  if (definition !== undefined) return definition;
  throw new RangeError(`The simulation has no workflow ${record.workflow}.`);
}

function textOf({
  orderId,
  revision,
  processState,
  direction,
  steps,
  history,
}: ProcessRecord): string {
  const last = history.at(-1);
  const why = last === undefined ? '' : entryText(last);
  const states = steps.map(({ name, attempt, progress }) => `${name}.${attempt} ${progress.state}`);
  return `${orderId} ${revision}: ${why} → ${processState} ${direction} [${states.join(', ')}]`;
}

function entryText(entry: ProcessRecord['history'][number]): string {
  if ('attempt' in entry) return `${entry.type} ${entry.step}.${entry.attempt}`;
  return 'steps' in entry ? `${entry.type} ${entry.steps.join(' ')}` : entry.type;
}
