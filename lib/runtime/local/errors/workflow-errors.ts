/**
 * The errors that the functions of workflows throw. They are noted when they are thrown, and reported when their order has stopped: views of
 * an order ask for the input of each step, also of one whose input cannot be known yet.
 */
import type {
  StepContext,
  StepDefinition,
  WorkflowDefinition,
} from '#core/definition/workflow-definition.ts';
import { readableError } from '#core/model/errors.ts';
import type { FaultCode } from '#core/model/fault-codes.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { CodeError, OnCodeError } from './code-error.ts';

/** Of errors that stop an order, few lie between throw and write. */
const notesMax = 1_000;

/** See {@link workflowErrors}. */
export interface WorkflowErrors {
  /** The same definition, of the same fingerprint, whose functions note what they throw. */
  noting(definition: WorkflowDefinition): WorkflowDefinition;
  /** Call it with each stored record. */
  onRecord(record: ProcessRecord): void;
}

/** Makes the notes of one process. @param onError receives the error of each order that has stopped for it */
export function workflowErrors(onError: OnCodeError): WorkflowErrors {
  const notes = new Map<string, CodeError>();

  function note(error: CodeError): void {
    const id = idOf(error.orderId, error.step);
    notes.delete(id);
    notes.set(id, error);
    const [oldest] = notes.keys();
    if (notes.size > notesMax && oldest !== undefined) notes.delete(oldest);
  }

  function stepOf({ name: workflow }: WorkflowDefinition, step: StepDefinition): StepDefinition {
    const noting =
      <Value>(source: 'input' | 'when', code: (context: StepContext) => Value) =>
      (context: StepContext): Value => {
        try {
          return code(context);
        } catch (thrown) {
          const { orderId } = context;
          const error = readableError(thrown);
          note({ workflow, step: step.name, source, agent: null, orderId, error });
          throw thrown;
        }
      };
    const { input, when } = step;
    return { ...step, input: noting('input', input), when: when && noting('when', when) };
  }

  return {
    noting: (definition) => ({
      ...definition,
      steps: definition.steps.map((step) => stepOf(definition, step)),
    }),
    onRecord({ orderId, fault }) {
      if (fault?.code !== ('workflow-code' satisfies FaultCode) || fault.step === null) return;
      const id = idOf(orderId, fault.step);
      const noted = notes.get(id);
      notes.delete(id);
      if (noted !== undefined) onError(noted);
    },
  };
}

const idOf = (orderId: string, step: string) => `${orderId} ${step}`;
