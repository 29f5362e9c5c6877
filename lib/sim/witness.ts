/** Sees every write and every effect: writes them down, tells the story, and has them judged at once. */
import type { IdempotencyKey } from '#core/ids.ts';
import type { ProcessRecord, StepRecord } from '#core/record.ts';
import type { WorkflowDefinition } from '#core/workflow-definition.ts';
import { type OperationLog, operationLog } from './operations.ts';
import type { Breach } from './rules.ts';
import { doubtRules } from './rules-of-doubt.ts';
import { judgeWrite } from './rules-of-writes.ts';
import type { Effect } from './services.ts';
import type { Write } from './sim-table.ts';
import { registries } from './sim-workflows.ts';
import type { Trace } from './trace.ts';

export interface Witness {
  readonly writes: readonly Write[];
  readonly operations: OperationLog;
  wrote(write: Write): void;
  took(key: IdempotencyKey, effect: Effect, record: ProcessRecord | undefined): void;
}

export function witness(trace: Trace, breach: Breach): Witness {
  const writes: Write[] = [];
  const judgeDoubt = doubtRules(breach);
  return {
    writes,
    operations: operationLog(),
    wrote(write) {
      const { before, after, by } = write;
      writes.push(write);
      trace.tell(`${by} writes ${textOf(after)}`);
      if (before !== null) judgeWrite(before, after, definitionOf(after), breach);
      judgeDoubt(write);
      const foreign = after.steps.find(isForeign);
      if (foreign !== undefined) breach('R6', `${foreign.name} has the output of another agent`);
    },
    took(key, effect, record) {
      trace.tell(`on the books: ${key} ${effect}`);
      const state = record?.processState;
      if (state === 'Undone' && effect === 'applied') {
        breach('R10', `${key} took effect after the order was Undone`);
      }
      if (state === 'Processed' && effect === 'undone') {
        breach('R10', `${key} was taken back after the order was Processed`);
      }
    },
  };
}

/** Every output of a service says whose it is. */
function isForeign({ agent, progress }: StepRecord): boolean {
  if (progress.state !== 'Completed') return false;
  const { output } = progress;
  const isOwn =
    typeof output === 'object' && output !== null && 'of' in output && output['of'] === agent;
  return !isOwn;
}

/** The definition an order was submitted under; the newest release knows them all. */
export function definitionOf(record: ProcessRecord): WorkflowDefinition {
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
