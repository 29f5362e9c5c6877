/** An order, looked at again and again until its end. */
import { CliError } from '#cli/cli-error.ts';
import type { Context } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/exit-code.ts';
import type { Answer, Call } from './http-api.ts';
import { type OrderDocument, orderSchema } from './response-schemas.ts';

/** Short orders are over in a few looks; long ones must not be a load on Reeve. */
const pollMinMs = 50;
const pollMaxMs = 1_000;
const pollGrowth = 1.5;

/** Orders survive a restart of Reeve, so whoever waits for one should survive it as well. */
const outageMaxMs = 30_000;

/** What is shown meanwhile. */
export interface View {
  readonly order: (answer: Answer<OrderDocument>) => void;
  /** Reeve stopped answering; called once an outage. */
  readonly outage: () => void;
  /** Nothing more comes, be it because of an error. */
  readonly close: () => void;
}

export function orderCall(orderId: string): Call<OrderDocument> {
  return { method: 'GET', path: `/orders/${encodeURIComponent(orderId)}`, answer: orderSchema };
}

/**
 * Resolves with the order's last document. There is no limit on the wait: cool-downs may last for
 * days, and a person can always press Ctrl-C.
 *
 * @throws {CliError} `failed` when Reeve has not answered for `outageMaxMs`, or the first time
 */
export async function followToEnd(
  context: Context,
  orderId: string,
  view: View,
): Promise<Answer<OrderDocument>> {
  try {
    return await follow(context, orderId, view);
  } finally {
    view.close();
  }
}

export function exitCodeOf({ processState }: OrderDocument): ExitCode {
  if (processState === 'Processed') return exitCodes.done;
  return processState === 'Undone' ? exitCodes.undone : exitCodes.inError;
}

async function follow(
  { reeve, environment }: Context,
  orderId: string,
  view: View,
): Promise<Answer<OrderDocument>> {
  let answer = await reeve(orderCall(orderId));
  let seenMs = environment.now();
  let isOut = false;
  let delayMs = pollMinMs;
  view.order(answer);
  while (!hasEnded(answer.value)) {
    await environment.sleep(delayMs);
    delayMs = Math.min(delayMs * pollGrowth, pollMaxMs);
    try {
      answer = await reeve(orderCall(orderId));
    } catch (error) {
      if (!isOutage(error)) throw error;
      if (environment.now() - seenMs > outageMaxMs) throw givenUp(error, orderId);
      if (!isOut) view.outage();
      isOut = true;
      continue;
    }
    seenMs = environment.now();
    isOut = false;
    view.order(answer);
  }
  return answer;
}

/** Error is no end to Reeve, but nothing more happens before a person acts. */
function hasEnded({ processState }: OrderDocument): boolean {
  return processState === 'Processed' || processState === 'Undone' || processState === 'Error';
}

function isOutage(error: unknown): error is CliError {
  return error instanceof CliError && error.code === exitCodes.failed;
}

/** Names the order, which with `--json` nothing has named yet. */
function givenUp(cause: CliError, orderId: string): CliError {
  const message = `${cause.message}\nLook at the order later with: reeve show ${orderId}`;
  return new CliError(cause.code, message, { reason: cause.reason, answer: cause.answer, cause });
}
