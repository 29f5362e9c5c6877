/** One action on many orders, a few at a time, with a result for each. */

import type { Answer } from '#console/api/answer.ts';
import type { ProcessState, SummaryDocument } from '#console/api/documents.ts';
import { codeUnknown } from '#console/api/read-answer.ts';
import { sentence } from '#text/sentence.ts';

export type Action = 'resubmit' | 'cancel' | 'reprioritise';

/** The priority classes, highest first. */
export const priorities = ['high', 'normal', 'low'] as const;
export type Priority = (typeof priorities)[number];

export interface Result {
  readonly orderId: string;
  readonly ok: boolean;
  readonly words: string;
}

/** An order, as it was when the action was confirmed. */
export type Meant = Pick<SummaryDocument, 'orderId' | 'revision'>;
export type Act = (order: Meant) => Promise<Answer<{ processState: ProcessState }>>;

/** Concurrent requests: fast enough for thousands of orders, and a small load for a server. */
const atOnce = 4;

/**
 * Takes orders from `left` until it is empty, the user stops it, or the server is overloaded:
 * the orders that remain in `left` are for a later call.
 */
export async function forEachOrder(
  left: Meant[],
  act: Act,
  onResult: (result: Result) => void,
  isStopped: () => boolean = () => false,
): Promise<'done' | 'stopped' | 'out'> {
  let isOut = false;
  const worker = async () => {
    while (!isOut && !isStopped()) {
      const order = left.shift();
      if (order === undefined) return;
      const answer = await act(order);
      if (isOutage(answer)) {
        left.unshift(order);
        isOut = true;
      } else onResult(resultOf(order.orderId, answer));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  if (left.length === 0) return 'done';
  return isOut ? 'out' : 'stopped';
}

/** The same request may succeed later. A success that is none is an answer of something else, such as a proxy. */
function isOutage(answer: Answer<unknown>): boolean {
  if (answer.kind !== 'refused') return answer.kind === 'unreachable';
  const { status, problem } = answer;
  // A fault with this order, such as damaged data: it would stop each continuation too, and the other orders can go on.
  if (status === 500 && problem.code !== codeUnknown) return false;
  return status < 400 || status >= 500 || [401, 429].includes(status);
}

export function resultOf(orderId: string, answer: Answer<{ processState: ProcessState }>): Result {
  switch (answer.kind) {
    case 'ok':
      return { orderId, ok: true, words: `Recorded; the order is ${answer.body.processState}.` };
    case 'refused': {
      const { title, detail } = answer.problem;
      return { orderId, ok: false, words: `${sentence(title)} ${sentence(detail)}` };
    }
    case 'unreachable':
      return {
        orderId,
        ok: false,
        words: 'Reeve did not answer. Check the order, then try again.',
      };
  }
}

/**
 * The headers of the request for an order. A resubmit is for the displayed fault: an order that has failed again since is skipped. An order
 * for another action may have progressed meanwhile, and is changed too.
 */
export const conditionOf = (
  action: Action,
  { revision }: Meant,
): Readonly<Record<string, string>> =>
  action === 'resubmit' ? { 'if-match': `"${revision}"` } : {};

/** True when the action is possible in the present state of the order. */
export const fits = (action: Action, { actions }: Pick<SummaryDocument, 'actions'>): boolean =>
  actions[action] === null;

const consequences: Readonly<Record<Action, string>> = {
  resubmit:
    'Each order continues at the step that failed, with 0 failures. Completed steps are not repeated.',
  cancel:
    'No further step starts. Running steps complete or time out. Then all effects are undone. You cannot revert this.',
  reprioritise: 'What waits moves to the class that you choose. Calls in flight continue.',
};

export const consequence = (action: Action): string => consequences[action];

const exclusions: Readonly<Record<Action, string>> = {
  resubmit: 'not in Error',
  cancel: 'final, being undone already, or past an irreversible step,',
  reprioritise: 'final',
};

export function leftAlone(action: Action, count: number): string {
  const orders =
    count === 1 ? '1 of the selected orders is' : `${number(count)} of the selected orders are`;
  return `${orders} ${exclusions[action]} and will not be changed.`;
}

/** Results that are kept and shown; refusals are kept before successes. */
export const resultsMax = 200;

export function withResult(results: readonly Result[], result: Result): readonly Result[] {
  if (results.length < resultsMax) return [...results, result];
  const drop = Math.max(
    0,
    results.findIndex(({ ok }) => ok),
  );
  return [...results.slice(0, drop), ...results.slice(drop + 1), result];
}

export const number = (count: number) => count.toLocaleString('en');
export const ordersText = (count: number) => (count === 1 ? '1 order' : `${number(count)} orders`);
