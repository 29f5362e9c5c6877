/**
 * The typed builder of workflow definitions.
 *
 * In `input` and `when`, a step can access the details and the outputs of the steps in its `after`; other
 * accesses do not compile. `build` checks what types cannot express (workflow-check.ts).
 */
import type { ZodType } from 'zod';
import { jsonSchema, submittedSchema } from '#core/codec/json-schema.ts';
import { stepName, workflowName } from '#core/model/ids.ts';
import type { JsonValue, ReadonlyJson } from '#core/model/json.ts';
import type { Remedy } from '#core/model/policy.ts';
import type { AgentContract } from './agent.ts';
import { noPromise } from './no-promise.ts';
import { checkOptions, stepForm, workflowForm } from './option-forms.ts';
import { sensitivityOf } from './sensitive/sensitivity.ts';
import type { SingletonOptions } from './singleton.ts';
import { stepPolicy } from './step-policy.ts';
import type { TypedSchema } from './typed-schema.ts';
import { checkWorkflow, type UncheckedStep } from './workflow-check.ts';
import type { StepContext, StepDefinition, Workflow } from './workflow-definition.ts';

type Outputs = Record<string, JsonValue | undefined>;

/** The argument of `input` and `when` of a step. */
export interface TypedContext<Details, Seen> {
  readonly orderId: string;
  /** The details of the order, all corrections applied. */
  readonly details: Details;
  /** The outputs of the steps in `after`; `undefined` for a step that was skipped. */
  readonly outputs: Readonly<Seen>;
}

/** A pause after a round of attempts, before the next round. */
export interface CoolDown {
  /** The length of the first pause, ms, from 100 ms to 7 days. */
  readonly after: number;
  /** How often a pause and another round follow, up to 20. */
  readonly times: number;
  /** How many times as long as the pause before each further one is, from 1 to 10. Default 1: all are as long as the first. */
  readonly factor?: number;
  /** The longest pause, ms, from `after` to 7 days. Default 7 days. */
  readonly max?: number;
}

/** How often and how long the undo of a step is tried. By default far more patiently than the step: about 24 h. */
export interface UndoOptions {
  /** Time from dispatch to complete-by, ms, from 50 ms to 12 h. Default: as the step. */
  readonly completeWithin?: number;
  /**
   * The longest duration of an attempt with heartbeats, ms, up to 7 days and up to 100 times `completeWithin`. Default:
   * `completeWithin` of the undo where it is stated, else as the step.
   */
  readonly maxDuration?: number;
  /** Further attempts per round after one timed out, up to 20. Default 1, or 0 for a step without retries. */
  readonly retries?: number;
  /**
   * Pauses between rounds of attempts; `times` up to 200. Default: from 10 s, doubling up to 15 minutes, 102 times:
   * together 24 h 6 min.
   */
  readonly coolDown?: CoolDown;
}

/** Options of a step. */
export interface StepOptions<
  Details,
  Seen,
  After extends readonly string[],
  Input extends JsonValue,
  Output extends JsonValue,
> {
  /** The agent that performs the step, or a pool of agents. */
  readonly agent: AgentContract<Input, Output>;
  /** The steps that must be Completed or Skipped first. Default: none; the step starts with the order. */
  readonly after?: EachOnce<After>;
  /**
   * The input for the agent. A pure function, called for every attempt. If it throws, or returns more than a message
   * holds, the order stops in Error. An object in a field that is one of two by a condition needs `as const` for its literals.
   */
  // The alternative is for literals, which TypeScript makes read-only where it keeps their types: a list in them is a tuple.
  readonly input: (context: TypedContext<Details, Seen>) => NoInfer<Input | ReadonlyJson<Input>>;
  /**
   * Whether the step is performed; else it is Skipped. A pure function; if it throws, the order stops in Error. Default:
   * always.
   */
  readonly when?: (context: TypedContext<Details, Seen>) => boolean;
  /** Time from dispatch to complete-by, ms, from 50 ms to 12 h. Default 30 s. */
  readonly completeWithin?: number;
  /** The longest duration of an attempt with heartbeats, ms, up to 7 days and up to 100 times `completeWithin`. Default: `completeWithin`. */
  readonly maxDuration?: number;
  /** Further attempts per round after one timed out, up to 20. Default 3. */
  readonly retries?: number;
  /** Pauses between rounds of attempts. Default: none. */
  readonly coolDown?: CoolDown;
  /**
   * How long the step may wait for its agent (a limit, an open circuit) before that counts as a failed round, ms, from 1 s
   * to 7 days. Default 24 h.
   */
  readonly holdMax?: number;
  /** When the agent reports a permanent fault. Default `undo`. */
  readonly onFault?: Remedy;
  /** When no attempt and no cool-down is left. Default `undo`; `hold` for an irreversible step. */
  readonly onExhausted?: Remedy;
  /** Once the step is Completed, the order can only go forward. Default false. */
  readonly irreversible?: boolean;
  /** How often and how long its undo is tried, before an operator is asked. Default: about 24 h. */
  readonly undo?: UndoOptions;
  /**
   * The maximum size of the output as JSON, from 2 to 8,192 bytes; a larger output is a fault of the step.
   * Default: 8,192, or an equal share when the outputs of all steps would exceed the record, or those of the
   * steps in one `after` a request. A smaller value leaves more bytes to other steps.
   */
  readonly outputBytesMax?: number;
}

/** The name of a further step: the type of the message if a step has it already. */
export type NewName<Name extends string, Known> = string extends keyof Known
  ? Name
  : Name extends keyof Known
    ? `The workflow has a step ${Name} already: give this one another name.`
    : Name;

type Repeated<Names extends readonly string[]> = Names extends readonly [
  infer First extends string,
  ...infer Rest extends readonly string[],
]
  ? (string extends First ? never : First & Rest[number]) | Repeated<Rest>
  : never;

/** The names in `after`: the type of the message if one is repeated. */
export type EachOnce<After extends readonly string[]> = [Repeated<After>] extends [never]
  ? After
  : `The step ${Repeated<After>} is listed twice: leave out one of the two.`;

/** Collects the steps of a workflow; `build` checks and freezes them. */
export interface WorkflowBuilder<Details, Known extends Outputs, Submitted = Details> {
  /**
   * Adds a step, up to 64 in all.
   *
   * @throws {ReeveError} `id-malformed` when its name, or a name in `after`, is invalid
   * @throws {DefinitionError} `options-invalid` when an option is missing, of a wrong kind or not known
   */
  step<
    const Name extends string,
    const Input extends JsonValue,
    Output extends JsonValue,
    const After extends readonly (keyof Known & string)[] = [],
  >(
    name: NewName<Name, Known>,
    options: StepOptions<Details, Pick<Known, After[number]>, After, Input, Output> & {
      readonly when?: undefined;
    },
  ): WorkflowBuilder<Details, Known & Record<Name, Output>, Submitted>;
  /** A step with `when`: its output is `undefined` for later steps when it was skipped. */
  step<
    const Name extends string,
    const Input extends JsonValue,
    Output extends JsonValue,
    const After extends readonly (keyof Known & string)[] = [],
  >(
    name: NewName<Name, Known>,
    options: StepOptions<Details, Pick<Known, After[number]>, After, Input, Output>,
  ): WorkflowBuilder<Details, Known & Record<Name, Output | undefined>, Submitted>;
  /** @throws {DefinitionError} when the definition is invalid; names the workflow and the step */
  build(): Workflow<Submitted, Known>;
}

/** Options of {@link defineWorkflow}. */
export interface WorkflowOptions<Details extends JsonValue, Submitted = Details> {
  /** Up to 40 of a-z, 0-9 and "-", of which the first is one of a-z. */
  readonly name: string;
  /** A positive integer. Increase it when steps, their order or their policies change. */
  readonly version: number;
  /**
   * The schema of an order, which has up to 128 KiB as JSON. Mark fields that only agents may see:
   * `z.string().meta({ sensitive: true })`.
   */
  readonly details: TypedSchema<Details, Submitted>;
  /**
   * How long after its submission an order must be finished, ms, from 1 s to 30 days, with all that delays it: services, waits
   * for agents, or an outage. A sweep acts on it, so it may be a sweep period late. Default: no limit.
   */
  readonly completeWithin?: number;
  /**
   * What happens to an order that is late: it stops for an operator, or is undone as by a cancel. After an irreversible
   * step that happened, or may have happened, it stops. Default `hold`.
   */
  readonly onLate?: Remedy;
  /** Of the orders with the same value of a key, one works at a time. Default: orders do not wait for each other. */
  readonly singleton?: SingletonOptions<Details>;
}

/**
 * Starts the definition of a workflow.
 *
 * @throws {ReeveError} `id-malformed` when its name is invalid
 * @throws {DefinitionError} `options-invalid` when an option is missing, of a wrong kind or not known
 */
export function defineWorkflow<Details extends JsonValue, Submitted = Details>(
  options: WorkflowOptions<Details, Submitted>,
): WorkflowBuilder<Details, Record<never, never>, Submitted> {
  checkOptions(workflowForm, `workflow ${options.name}`, options);
  const name = workflowName(options.name);
  const steps: UncheckedStep[] = [];
  // At run time contexts have no types, so one untyped builder implements the typed interface.
  const builder = {
    step(stepLabel: string, step: ErasedOptions) {
      checkOptions(stepForm, `workflow ${name}, step ${stepLabel}`, step);
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
        completeWithinMs: options.completeWithin,
        onLate: options.onLate,
        singleton: options.singleton,
        steps: Object.freeze([...steps]),
      });
    },
  };
  return builder;
}

/**
 * The options of a step without the types of its context, which `WorkflowBuilder` has checked. `input` and
 * `when` are methods here because TypeScript compares the parameters of methods bivariantly.
 */
interface ErasedOptions
  extends Omit<
    StepOptions<never, never, readonly string[], never, never>,
    'agent' | 'input' | 'when'
  > {
  readonly agent: Pick<StepDefinition, 'undo' | 'output' | 'pool' | 'failover' | 'limits'> & {
    readonly name: StepDefinition['agent'];
    readonly input: ZodType;
  };
  input(context: StepContext): JsonValue;
  when?(context: StepContext): boolean;
}

/** Checks the value before and after the schema of the author: both must survive storage. */
function storable(given: ZodType<unknown>, schema: ZodType<JsonValue>): ZodType<JsonValue> {
  return given.pipe(schema).pipe(jsonSchema);
}

function stepDefinition(label: string, step: ErasedOptions): UncheckedStep {
  const { input, when } = step;
  return {
    name: stepName(label),
    agent: step.agent.name,
    ...(step.agent.pool !== undefined && { pool: step.agent.pool }),
    ...(step.agent.limits !== undefined && { limits: step.agent.limits }),
    ...(step.agent.failover !== undefined && { failover: step.agent.failover }),
    undo: step.agent.undo,
    output: storable(jsonSchema, step.agent.output),
    outputBytesMax: step.outputBytesMax,
    sensitive: {
      input: sensitivityOf(step.agent.input),
      output: sensitivityOf(step.agent.output),
    },
    after: (step.after ?? []).map(stepName),
    policy: stepPolicy(step, step.agent.undo),
    input: (context) => noPromise(input(context)),
    when: when === undefined ? null : (context) => noPromise(when(context)),
  };
}
