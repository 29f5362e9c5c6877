/** What the code of agents and workflows has thrown in a test: without it, a mistake would look like a service that does not answer. */
import { ReeveError } from '#core/model/errors.ts';
import { subjectOf } from '#runtime/local/errors/error-kinds.ts';
import type { OrderResult } from '#runtime/local/local-order.ts';
import type { LocalReeveOptions } from '#runtime/local/local-reeve.ts';
import { errorHead, userFrames } from '#runtime/node/user-stack.ts';

type OnCodeError = NonNullable<LocalReeveOptions['onCodeError']>;

/** See above. */
export interface ThrownErrors {
  /** Receives each error. */
  readonly onCodeError: OnCodeError;
  /** The last error of each step of the order; empty: its code has thrown none. */
  of(orderId: string): string;
  /** The result, whose fault says what the code of its step has thrown. */
  explained<Outputs>(orderId: string, result: OrderResult<Outputs>): OrderResult<Outputs>;
}

/** The faults whose own text cannot say what was thrown. */
const unexplained = ['exhausted', 'undo-stuck', 'workflow-code'];

/** @param listener receives each error. Default: each is printed once, with its stack */
export function thrownErrors(listener?: OnCodeError): ThrownErrors {
  /** By the order, and then by the step. */
  const last = new Map<string, Map<string, string>>();
  const said = new Set<string>();
  return {
    onCodeError(thrown) {
      listener?.(thrown);
      const { error, orderId, step } = thrown;
      // A service that fails as a script or an agent says, or does not answer.
      if (error instanceof ReeveError) return;
      const text = [`${subjectOf(thrown)} threw ${errorHead(error)}`, ...userFrames(error)].join(
        '\n    ',
      );
      const ofOrder = last.get(orderId) ?? new Map<string, string>();
      last.set(orderId, ofOrder.set(step, text));
      if (listener !== undefined || said.has(text)) return;
      said.add(text);
      // biome-ignore lint/suspicious/noConsole: test runners show it with its test
      console.error(`testReeve: ${text}`);
    },
    of: (orderId) => [...(last.get(orderId)?.values() ?? [])].join('\n'),
    explained(orderId, result) {
      if (result.state === 'Processed' || result.fault === null) return result;
      const { fault } = result;
      if (fault.step === null || !unexplained.includes(fault.code)) return result;
      const text = last.get(orderId)?.get(fault.step);
      if (text === undefined) return result;
      return { ...result, fault: { ...fault, message: `${fault.message} At last, ${text}` } };
    },
  };
}
