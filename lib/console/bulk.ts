/** One action on many orders: a few at a time, each with a result of its own. */
import type { Answer } from './answer.ts';
import type { ProcessState, SummaryDocument } from './documents.ts';

export type Action = 'resubmit' | 'cancel';

export interface Result {
  readonly orderId: string;
  readonly ok: boolean;
  readonly words: string;
}

/** Requests at once: quick for a page of orders, and nothing to a server. */
const atOnce = 4;

export async function forEachOrder(
  orderIds: readonly string[],
  act: (orderId: string) => Promise<Answer<{ processState: ProcessState }>>,
  onResult: (result: Result) => void,
): Promise<void> {
  const left = [...orderIds];
  const worker = async () => {
    for (let orderId = left.shift(); orderId !== undefined; orderId = left.shift()) {
      onResult(resultOf(orderId, await act(orderId)));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

export function resultOf(orderId: string, answer: Answer<{ processState: ProcessState }>): Result {
  switch (answer.kind) {
    case 'ok':
      return { orderId, ok: true, words: `Recorded; the order is ${answer.body.processState}.` };
    case 'refused':
      return { orderId, ok: false, words: `${answer.problem.title}. ${answer.problem.detail}` };
    case 'unreachable':
      return {
        orderId,
        ok: false,
        words: 'Reeve did not answer. Look at the order, and try again.',
      };
  }
}

/** Whether the action can do anything to an order as it stands. */
export function fits(
  action: Action,
  { processState, direction }: Pick<SummaryDocument, 'processState' | 'direction'>,
): boolean {
  if (action === 'resubmit') return processState === 'Error';
  const hasEnded = processState === 'Processed' || processState === 'Undone';
  return !hasEnded && direction === 'forward';
}

export function consequence(action: Action): string {
  return action === 'resubmit'
    ? 'Each order goes on from the step that failed, with fresh tries. Steps that are completed are not done again.'
    : 'No further step starts. What is running comes to its end or times out; then everything that was done is undone. This cannot be taken back.';
}

export function leftAlone(action: Action, count: number): string {
  const orders =
    count === 1 ? '1 of the selected orders is' : `${count} of the selected orders are`;
  return action === 'resubmit'
    ? `${orders} not in Error and will be left alone.`
    : `${orders} at an end, or being undone already, and will be left alone.`;
}
