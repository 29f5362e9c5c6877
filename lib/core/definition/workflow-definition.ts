/** A workflow as `decide` reads it: plain, checked, and without the types of its author's documents. */
import type { ZodType } from 'zod';
import type { AgentName, StepName, WorkflowName } from '#core/model/ids.ts';
import type { JsonValue } from '#core/model/json.ts';
import type { StepPolicy } from '#core/model/record.ts';
import type { UndoAbility } from './agent.ts';
import type { Sensitivity } from './sensitive.ts';

/** What a step's `input` and `when` are given, once types have done their work. */
export interface StepContext {
  readonly orderId: string;
  readonly details: JsonValue;
  readonly outputs: Readonly<Record<string, JsonValue | undefined>>;
}

export interface StepDefinition {
  readonly name: StepName;
  readonly agent: AgentName;
  readonly undo: UndoAbility;
  readonly output: ZodType<JsonValue>;
  /** Bytes of JSON that it may hand on. */
  readonly outputBytesMax: number;
  /** What its agent's contract marks. */
  readonly sensitive: { readonly input: Sensitivity; readonly output: Sensitivity };
  readonly after: readonly StepName[];
  readonly policy: StepPolicy;
  readonly input: (context: StepContext) => JsonValue;
  readonly when: ((context: StepContext) => boolean) | null;
}

export interface WorkflowDefinition {
  readonly name: WorkflowName;
  readonly version: number;
  readonly details: ZodType<JsonValue>;
  /** What the schema of the details marks. */
  readonly sensitive: Sensitivity;
  /** In the order they were written. */
  readonly steps: readonly StepDefinition[];
  /** Indexes into `steps`, each step after all it comes after. */
  readonly order: readonly number[];
  /** Of whatever decides how an order in flight goes on. */
  readonly fingerprint: string;
}
