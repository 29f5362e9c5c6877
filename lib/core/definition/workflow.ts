/**
 * Workflow definitions: a typed builder for people, and the plain definition that `decide` reads.
 *
 * The builder lets a step see the details and the outputs of exactly the steps it comes after;
 * anything else does not compile. What types cannot say is checked by `build` (workflow-check.ts).
 */
import type { ZodType } from 'zod';
import { jsonSchema, submittedSchema } from '#core/codec/json-schema.ts';
import { stepName, workflowName } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import type { Remedy } from '#core/model/record.ts';
import type { AgentContract } from './agent.ts';
import { sensitivityOf } from './sensitive.ts';
import { checkWorkflow, type UncheckedStep } from './workflow-check.ts';
import type { StepContext, StepDefinition, WorkflowDefinition } from './workflow-definition.ts';

type Outputs = Record<string, JsonValue | undefined>;

/** Given to `input` and `when` of a step. */
export interface TypedContext<Details, Seen> {
  readonly orderId: string;
  readonly details: Details;
  /** Of the steps it comes after; `undefined` for one that was skipped by its `when`. */
  readonly outputs: Readonly<Seen>;
}

/** A time to wait before the next round of attempts (`after`, ms), and how often (`times`). */
export interface CoolDown {
  readonly after: number;
  readonly times: number;
}

export interface StepOptions<
  Details,
  Seen,
  After,
  Input extends JsonValue,
  Output extends JsonValue,
> {
  readonly agent: AgentContract<Input, Output>;
  /** The steps that must be Completed or Skipped first. Default: none, it starts with the order. */
  readonly after?: After;
  /** What the agent is asked; a pure function, called anew for every attempt. */
  readonly input: (context: TypedContext<Details, Seen>) => NoInfer<Input>;
  /** False: the step is Skipped. Default: always done. Pure. */
  readonly when?: (context: TypedContext<Details, Seen>) => boolean;
  /** Time from dispatch to complete-by, ms. Default 30 s. */
  readonly completeWithin?: number;
  /** With heartbeats an attempt may go on, up to this, ms. Default: `completeWithin`. */
  readonly maxDuration?: number;
  /** Further attempts after one timed out. Default 3. */
  readonly retries?: number;
  /** Default: none. */
  readonly coolDown?: CoolDown;
  /** When the agent reports a non-transient fault. Default `undo`. */
  readonly onFault?: Remedy;
  /** When no attempt and no cool-down is left. Default `undo`; `hold` for an irreversible step. */
  readonly onExhausted?: Remedy;
  /** Once Completed, the order can only go forward. Default false. */
  readonly irreversible?: boolean;
  /**
   * Bytes of JSON that the step may hand on, from 2 to 8 KiB: more is a fault of the step. Default: 8 KiB,
   * or less where the workflow has so many steps that their outputs, or those of the steps that another
   * one comes after, would not fit an order's record or a request. To leave more to others, state less.
   */
  readonly outputBytesMax?: number;
}

/** Collects the steps of a workflow; `build` checks and freezes them. */
export interface WorkflowBuilder<Details, Known extends Outputs> {
  step<
    const Name extends string,
    Input extends JsonValue,
    Output extends JsonValue,
    const After extends readonly (keyof Known & string)[] = [],
  >(
    name: Name,
    options: StepOptions<Details, Pick<Known, After[number]>, After, Input, Output> & {
      readonly when?: undefined;
    },
  ): WorkflowBuilder<Details, Known & Record<Name, Output>>;
  /** A step with `when`: those after it see `undefined` where it was skipped. */
  step<
    const Name extends string,
    Input extends JsonValue,
    Output extends JsonValue,
    const After extends readonly (keyof Known & string)[] = [],
  >(
    name: Name,
    options: StepOptions<Details, Pick<Known, After[number]>, After, Input, Output>,
  ): WorkflowBuilder<Details, Known & Record<Name, Output | undefined>>;
  /** @throws {DefinitionError} naming workflow and step */
  build(): WorkflowDefinition;
}

export interface WorkflowOptions<Details extends JsonValue> {
  readonly name: string;
  /** A positive integer: +1 whenever steps, their order or their policies change. */
  readonly version: number;
  /** Mark what only agents may see: `z.string().meta({ sensitive: true })`. */
  readonly details: ZodType<Details>;
}

/**
 * Begins a workflow.
 *
 * @throws {ReeveError} `id-malformed` when the name, or later a step's name, has another form
 */
export function defineWorkflow<Details extends JsonValue>(
  options: WorkflowOptions<Details>,
): WorkflowBuilder<Details, Record<never, never>> {
  const name = workflowName(options.name);
  const steps: UncheckedStep[] = [];
  // The typed builder is a view of this one: types of contexts are gone when the code runs.
  const builder = {
    step(stepLabel: string, step: ErasedOptions) {
      steps.push(stepDefinition(stepLabel, step));
      return builder;
    },
    build: () => {
      const { version } = options;
      const details = storable(submittedSchema, options.details);
      return checkWorkflow({
        name,
        version,
        details,
        sensitive: sensitivityOf(options.details),
        steps: Object.freeze([...steps]),
      });
    },
  };
  return builder;
}

/**
 * A step's options without the types of its context, which `WorkflowBuilder` has checked. `input` and
 * `when` are methods here because only methods may be given a parameter type narrower than declared.
 */
interface ErasedOptions
  extends Omit<
    StepOptions<never, never, readonly string[], never, never>,
    'agent' | 'input' | 'when'
  > {
  readonly agent: Pick<StepDefinition, 'undo' | 'output'> & {
    readonly name: StepDefinition['agent'];
    readonly input: ZodType;
  };
  input(context: StepContext): JsonValue;
  when?(context: StepContext): boolean;
}

/** Checked on both sides of the author's schema: what is stored must be read again, whoever gave it. */
function storable(given: ZodType<unknown>, schema: ZodType<JsonValue>): ZodType<JsonValue> {
  return given.pipe(schema).pipe(jsonSchema);
}

function stepDefinition(label: string, step: ErasedOptions): UncheckedStep {
  const completeWithinMs = step.completeWithin ?? 30_000;
  const irreversible = step.irreversible ?? false;
  return {
    name: stepName(label),
    agent: step.agent.name,
    undo: step.agent.undo,
    output: storable(jsonSchema, step.agent.output),
    outputBytesMax: step.outputBytesMax,
    sensitive: {
      input: sensitivityOf(step.agent.input),
      output: sensitivityOf(step.agent.output),
    },
    after: (step.after ?? []).map(stepName),
    policy: {
      completeWithinMs,
      maxDurationMs: step.maxDuration ?? completeWithinMs,
      retries: step.retries ?? 3,
      coolDownMs: step.coolDown?.after ?? limits.coolDownMinMs,
      coolDownTimes: step.coolDown?.times ?? 0,
      onFault: step.onFault ?? 'undo',
      onExhausted: step.onExhausted ?? (irreversible ? 'hold' : 'undo'),
      irreversible,
    },
    input: step.input,
    when: step.when ?? null,
  };
}
