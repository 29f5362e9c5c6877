/** The errors that code of the application throws while orders run: that of its agents, and the functions of its workflows. */
import type { Request } from '#core/model/message.ts';

/** An error of the application's own code. Its message and its stack may quote details of an order. */
export interface CodeError {
  readonly workflow: string;
  readonly step: string;
  /** The function that threw: `perform` and `undo` are those of an agent, `input` and `when` those of a step. */
  readonly source: 'perform' | 'undo' | 'input' | 'when';
  /** The agent of the step; null for `input` and `when`, which are functions of the workflow. */
  readonly agent: string | null;
  readonly orderId: string;
  /** What was thrown. A `TransientFault` with the code `complete-by-passed`: the agent did not answer in time. */
  readonly error: unknown;
}

/** Receives the errors of the application's own code. */
export type OnCodeError = (error: CodeError) => void;

/** Receives the errors of calls that are repeated. */
export const callErrors =
  (onError: OnCodeError) =>
  ({ workflow, step, action, agent, orderId }: Request, error: unknown): void =>
    onError({ workflow, step, source: action, agent, orderId, error });
