/** Checks definitions for errors that types cannot express; each error names the workflow and the step. */
import type { ErrorCode } from '#core/model/error-codes.ts';
import { DefinitionError } from '#core/model/errors.ts';
import type { StepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Remedy } from '#core/model/policy.ts';
import { fingerprintOf } from './fingerprint.ts';
import { checkPolicy, deadlineOf, type PolicyRefusal } from './policy-check.ts';
import { checkedSingleton, type UncheckedSingleton } from './singleton-check.ts';
import type { StepDefinition, WorkflowDefinition } from './workflow-definition.ts';
import { outputAllowances } from './workflow-size.ts';

/** A step before the check. `outputBytesMax`: undefined for the default, which the check computes. */
export type UncheckedStep = Omit<StepDefinition, 'outputBytesMax'> & {
  readonly outputBytesMax?: number | undefined;
};

type Unchecked = Omit<
  WorkflowDefinition,
  'order' | 'fingerprint' | 'hasPools' | 'steps' | 'deadline' | 'singleton'
> & {
  readonly steps: readonly UncheckedStep[];
  readonly singleton?: UncheckedSingleton | undefined;
  readonly completeWithinMs?: number | undefined;
  readonly onLate?: Remedy | undefined;
};

/** @throws {DefinitionError} with a code for the rule that is violated */
export function checkWorkflow({
  completeWithinMs,
  onLate,
  singleton: given,
  ...workflow
}: Unchecked): WorkflowDefinition {
  const refuse = refusal(workflow);
  const refuseWorkflow: PolicyRefusal = (code, problem) => refuse(code, null, problem);
  if (!Number.isSafeInteger(workflow.version) || workflow.version < 1) {
    throw refuse('version-invalid', null, `version ${workflow.version} is not 1, 2, 3 …`);
  }
  const singleton =
    given === undefined ? undefined : checkedSingleton(given, completeWithinMs, refuseWorkflow);
  const { steps } = workflow;
  if (steps.length === 0 || steps.length > limits.stepsMax) {
    throw refuse(
      'step-count',
      null,
      `${steps.length} steps, where 1 to ${limits.stepsMax} are allowed`,
    );
  }
  const index = new Map<StepName, number>();
  steps.forEach((step, at) => {
    if (index.has(step.name)) throw refuse('step-twice', step, 'is defined twice; rename one');
    index.set(step.name, at);
  });
  for (const step of steps) {
    checkPolicy(step, (code, problem) => refuse(code, step, problem));
    checkUndo(step, refuse);
    checkFailover(step, refuse);
  }
  const order = topologicalOrder(steps, index, refuse);
  const checked = {
    ...workflow,
    steps: withAllowances(steps, refuse),
    ...deadlineOf(completeWithinMs, onLate, refuseWorkflow),
    ...(singleton !== undefined && { singleton }),
  };
  const hasPools = steps.some(({ pool }) => pool !== undefined);
  return { ...checked, order, fingerprint: fingerprintOf(checked), hasPools };
}

type Refusal = (
  code: ErrorCode<'DefinitionError'>,
  step: UncheckedStep | null,
  problem: string,
) => DefinitionError;

function refusal(workflow: Pick<Unchecked, 'name' | 'version'>): Refusal {
  return (code, step, problem) => {
    const where = `workflow ${workflow.name}@${workflow.version}`;
    return new DefinitionError(
      code,
      step === null ? `${where}: ${problem}.` : `${where}, step ${step.name}: ${problem}.`,
    );
  };
}

/** An order can be cancelled after any step, so every step must be undoable or irreversible. */
function checkUndo(step: UncheckedStep, refuse: Refusal): void {
  const { policy } = step;
  if (!policy.irreversible && step.undo === 'impossible') {
    throw refuse(
      'undo-missing',
      step,
      `agent ${step.agent} offers no undo. Implement one, declare undo "unneeded", or mark the step irreversible`,
    );
  }
  if (policy.irreversible && policy.onExhausted === 'undo') {
    throw refuse(
      'undo-impossible',
      step,
      'is irreversible and may have happened when its attempts are exhausted: onExhausted must be "hold"',
    );
  }
}

/** A step is undone first between two of its rounds, and only if it can be undone: elsewhere the option would do nothing. */
function checkFailover(step: UncheckedStep, refuse: Refusal): void {
  if (step.failover !== 'undo-first') return;
  const { irreversible, coolDownTimes } = step.policy;
  if (!irreversible && coolDownTimes > 0) return;
  const why = irreversible
    ? 'is irreversible: use a pool without failover'
    : 'has one round of attempts, and it would happen after one: state a coolDown, or use a pool without failover';
  throw refuse('failover-unused', step, `has a pool with failover "undo-first", and ${why}`);
}

function withAllowances(
  steps: readonly UncheckedStep[],
  refuse: Refusal,
): readonly StepDefinition[] {
  const allowances = outputAllowances(steps);
  if ('problem' in allowances) {
    const { at, code, problem } = allowances;
    throw refuse(code, (at === null ? undefined : steps[at]) ?? null, problem);
  }
  return Object.freeze(
    steps.map((step, at) => ({ ...step, outputBytesMax: allowances.bytes[at] ?? 0 })),
  );
}

function topologicalOrder(
  steps: readonly UncheckedStep[],
  index: ReadonlyMap<StepName, number>,
  refuse: Refusal,
): number[] {
  const predecessors = steps.map((step) =>
    step.after.map((name, place) => {
      if (step.after.indexOf(name) !== place) {
        throw refuse(
          'after-twice',
          step,
          `lists ${name} twice in its \`after\`; leave out one of the two`,
        );
      }
      const at = index.get(name);
      if (at === undefined) {
        throw refuse(
          'after-unknown',
          step,
          `comes after ${name}, which is not a step of the workflow`,
        );
      }
      return at;
    }),
  );
  const order: number[] = [];
  const placed = new Set<number>();
  for (;;) {
    const free = predecessors.findIndex(
      (before, at) => !placed.has(at) && before.every((other) => placed.has(other)),
    );
    if (free === -1) break;
    placed.add(free);
    order.push(free);
  }
  const left = steps.filter((_, at) => !placed.has(at));
  if (left.length > 0) throw unreachable(left, index, predecessors, refuse);
  return order;
}

/** The error for steps that can never start. It names those in a cycle first, because they are the cause. */
function unreachable(
  left: readonly UncheckedStep[],
  index: ReadonlyMap<StepName, number>,
  predecessors: readonly (readonly number[])[],
  refuse: Refusal,
): DefinitionError {
  const comesAfterItself = (start: number): boolean => {
    const seen = new Set<number>();
    const stack = [...(predecessors[start] ?? [])];
    for (let at = stack.pop(); at !== undefined; at = stack.pop()) {
      if (at === start) return true;
      if (!seen.has(at)) stack.push(...(predecessors[at] ?? []));
      seen.add(at);
    }
    return false;
  };
  const inCycle = left.filter((step) => comesAfterItself(index.get(step.name) ?? -1));
  const rest = left.filter((step) => !inCycle.includes(step)).map((step) => step.name);
  const cycle = inCycle.map((step) => step.name).join(', ');
  return refuse(
    'after-cyclic',
    inCycle[0] ?? null,
    `comes after itself (cycle of ${cycle})${rest.length > 0 ? `; unreachable because of it: ${rest.join(', ')}` : ''}`,
  );
}
