/** Starts a call: the next attempt, its deadline, its request. No other module does (R8). */

import { jsonSchema } from '#core/codec/json-schema.ts';
import { isPlainJsonWithin, textBytes } from '#core/codec/json-size.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import type {
  StepContext,
  StepDefinition,
  WorkflowDefinition,
} from '#core/definition/workflow-definition.ts';
import { assertThat, errorKind } from '#core/model/errors.ts';
import type { FaultCode } from '#core/model/fault-codes.ts';
import type { Holds } from '#core/model/hold.ts';
import { type Action, type AgentName, idempotencyKey, type StepName } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import type { Request } from '#core/model/message.ts';
import { callPolicy } from '#core/model/policy.ts';
import { nextAction, type StepRecord, unheld } from '#core/model/record.ts';
import { agentFor, waitsUnder } from './choose-agent.ts';
import { type Draft, park, setStep } from './draft.ts';
import { holdStep, isForTurn, stayHeld, undoable } from './hold-step.ts';
import { stepContext } from './step-context.ts';
import { beginsUndoFirst, undoFirstBegun } from './undo-first.ts';

/** What `decide` needs beside the record. */
export interface OrderContext {
  readonly definition: WorkflowDefinition;
  /** As submitted. The corrections since then are in the history of the record. */
  readonly details: JsonValue;
  /** The steps whose gates let no call through now. Default: none. */
  readonly holds?: Holds;
  /** The members of pools for their steps. Default: the first that may get the call. */
  readonly agents?: ReadonlyMap<StepName, AgentName>;
  /** For a replay: the steps whose undo before another perform began then (R15). Default: as their pools say. */
  readonly undoneFirst?: ReadonlySet<StepName>;
}

/**
 * Marks the step as under way and requests the call. Returns false when the code of the workflow failed:
 * the order is parked, and no request is sent for this step.
 */
export function startStep(draft: Draft, known: OrderContext, at: number, action: Action): boolean {
  const definition = known.definition.steps[at];
  const recorded = draft.steps[at];
  assertThat(
    definition !== undefined && recorded !== undefined,
    `the order has a step number ${at}`,
  );
  const input = evaluate(draft, definition, () =>
    definition.input(contextOf(draft, known, definition)),
  );
  if (input === undefined) return false;
  // A request for an undo that cannot be encoded would be lost as well, with the others of its batch.
  const form = evaluate(draft, definition, () => formOf(input));
  if (form === undefined) return false;
  if (form === 'no-json') {
    parkForCode(draft, definition, 'returned what is not JSON');
    return false;
  }

  const hold = known.holds?.get(recorded.name);
  const agent =
    hold === undefined
      ? agentFor(definition, recorded, action, known.agents?.get(recorded.name))
      : waitsUnder(definition, recorded, action);
  const step = agent === recorded.agent ? recorded : { ...recorded, agent };
  const request = requestFor(draft, step, action, input);
  // The request for the perform was within the limit, and its undo must not depend on an operator.
  if (action === 'perform' && form === 'large' && !isSendable(request)) {
    parkForInput(draft, definition);
    return false;
  }
  const begins =
    definition.pool !== undefined && action === 'undo' && nextAction(draft, recorded) === 'perform';
  if (definition.pool !== undefined) {
    draft.agents.push({ step: step.name, agent, ...(begins && { undoFirst: true }) });
    setStep(draft, at, { agent, ...(begins && undoFirstBegun(recorded)) });
  }
  if (hold !== undefined) {
    const isAsBefore = step === recorded && !begins;
    if (!isAsBefore || !stayHeld(draft, step, hold)) holdStep(draft, at, step, hold);
    return true;
  }
  const { attempt, completeBy, endBy } = request;
  const { progress, doubtUntil } = underWayAs(step, action, { completeBy, endBy });
  setStep(draft, at, { attempt, progress, doubtUntil });
  draft.commands.push({ kind: 'request', request });
  return true;
}

function requestFor(draft: Draft, step: StepRecord, action: Action, input: JsonValue): Request {
  const { orderId, workflow, priority, tenant } = draft.base;
  const policy = callPolicy(step.policy, action);
  const progress = unheld(step.progress);
  return {
    orderId,
    workflow,
    step: step.name,
    agent: step.agent,
    attempt: step.attempt + 1,
    action,
    idempotencyKey: idempotencyKey(orderId, step.name, action, step.keyGeneration),
    performKey: idempotencyKey(orderId, step.name, 'perform', step.keyGeneration),
    completeBy: draft.nowMs + policy.completeWithinMs,
    completeWithinMs: policy.completeWithinMs,
    endBy: draft.nowMs + policy.maxDurationMs,
    input,
    output: progress.state === 'Completed' ? progress.output : null,
    priority,
    tenant,
  };
}

/** A request without its input, with ids, keys and instants of maximum length. */
const envelopeBytesMax = 2_048;

/** `small`: it is JSON, and its request is certainly within the limit. Types may not have checked the code that returns it. */
function formOf(input: unknown): 'small' | 'large' | 'no-json' {
  if (isPlainJsonWithin(input, limits.requestBytesMax - envelopeBytesMax)) return 'small';
  return jsonSchema.safeParse(input).success ? 'large' : 'no-json';
}

const isSendable = (request: Request): boolean =>
  textBytes(requestCodec.encode(request)) <= limits.requestBytesMax;

function underWayAs(
  step: StepRecord,
  action: Action,
  instants: Pick<Request, 'completeBy' | 'endBy'>,
): Pick<StepRecord, 'progress' | 'doubtUntil'> {
  const { progress, doubtUntil } = step;
  const { completeBy, endBy } = instants;
  const heldSince =
    progress.state === 'Held' && !isForTurn(progress) ? { heldSince: progress.since } : null;
  if (action === 'perform') {
    const first = { state: 'Running', completeBy, endBy } as const;
    // Hardly any step was held, and a spread costs more than the rest.
    const running = heldSince === null ? first : { ...first, ...heldSince };
    return { progress: running, doubtUntil: completeBy };
  }
  const before = undoable(step.name, unheld(progress));
  return { progress: { state: 'Undoing', completeBy, endBy, before, ...heldSince }, doubtUntil };
}

/** What the order asks for next of a step that is ready in the forward direction. */
export function readyAction(
  draft: Draft,
  { undoneFirst }: OrderContext,
  definition: StepDefinition,
  step: StepRecord,
): Action {
  const begins = undoneFirst?.has(step.name) ?? beginsUndoFirst(definition, step, draft.nowMs);
  return begins ? 'undo' : nextAction(draft, step);
}

/** The result of the `when` of the step; undefined when its code failed and the order is parked. */
export function conditionHolds(
  draft: Draft,
  known: OrderContext,
  definition: StepDefinition,
): boolean | undefined {
  const { when } = definition;
  if (when === null) return true;
  return evaluate(draft, definition, () => when(contextOf(draft, known, definition)));
}

/** Runs code of the workflow's author: an exception parks the order and does not stop the Scheduler. */
function evaluate<Value>(
  draft: Draft,
  definition: StepDefinition,
  work: () => Value,
): Value | undefined {
  try {
    const value = work();
    if (value !== undefined) return value;
    parkForCode(draft, definition, 'returned undefined');
  } catch (error) {
    const kind = errorKind(error);
    parkForCode(draft, definition, kind === 'unknown' ? 'threw' : `threw ${kind}`);
  }
  return undefined;
}

/** Only the class of the error is kept, because its message may quote the details of the order. */
function parkForCode(draft: Draft, definition: StepDefinition, failure: string): void {
  park(draft, {
    code: 'workflow-code' satisfies FaultCode,
    message: `The workflow's own code for step ${definition.name} ${failure}. Deploy a version that works, then resubmit.`,
    effect: 'none',
    step: definition.name,
    action: null,
  });
}

function parkForInput(draft: Draft, { name }: StepDefinition): void {
  park(draft, {
    code: 'input-too-large' satisfies FaultCode,
    message: `The workflow's code for step ${name} returned an input that makes the request larger than ${limits.requestBytesMax} bytes. Deploy a version with a smaller input, then resubmit.`,
    effect: 'none',
    step: name,
    action: null,
  });
}

function contextOf(
  { base, steps }: Draft,
  known: OrderContext,
  definition: StepDefinition,
): StepContext {
  const { orderId, history } = base;
  return stepContext({ orderId, history, steps }, known.details, definition);
}
