/** Polls an order until it ends. */
import { CliError } from '#cli/cli-error.ts';
import type { Context } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/exit-code.ts';
import { commandText } from '#cli/output/command-text.ts';
import type { Answer, Call } from './http-api.ts';
import { type OrderDocument, orderSchema } from './response-schemas.ts';

/** The delay between polls grows: short orders end after few polls, and long orders cause little load. */
const pollMinMs = 50;
const pollMaxMs = 1_000;
const pollGrowth = 1.5;

/** Orders survive a restart of Reeve, so a command that waits for one must survive it too: from the first look that failed, ms. */
const outageMaxMs = 30_000;

/** The display while an order is followed. */
export interface View {
  readonly order: (answer: Answer<OrderDocument>) => void;
  /** Called once per outage, when Reeve has stopped answering. */
  readonly outage: () => void;
  /** Called at the end, also after an error. */
  readonly close: () => void;
}

export function orderCall(orderId: string): Call<OrderDocument> {
  return { method: 'GET', path: `/orders/${encodeURIComponent(orderId)}`, answer: orderSchema };
}

/**
 * Resolves with the last document of the order. The wait has no limit: cool-downs may last for
 * days, and the user can press Ctrl-C.
 *
 * @param isAccepted Reeve has answered with this order: then the first look has the patience of the others
 * @throws {CliError} `failed` when no look has succeeded for `outageMaxMs`, or none at all; with the order, once it is known
 */
export async function followToEnd(
  context: Context,
  orderId: string,
  view: View,
  isAccepted: boolean,
): Promise<Answer<OrderDocument>> {
  try {
    return await follow(context, orderId, view, isAccepted);
  } finally {
    view.close();
  }
}

export function exitCodeOf({ processState }: OrderDocument): ExitCode {
  if (processState === 'Processed') return exitCodes.done;
  return processState === 'Undone' ? exitCodes.undone : exitCodes.inError;
}

async function follow(
  context: Context,
  orderId: string,
  view: View,
  isAccepted: boolean,
): Promise<Answer<OrderDocument>> {
  const { reeve, environment } = context;
  let isKnown = isAccepted;
  // Since the first look that failed, and not the last that did not: a laptop may have slept between the two.
  let outSinceMs: number | null = null;
  let delayMs = pollMinMs;
  for (;;) {
    try {
      const answer = await reeve(orderCall(orderId));
      view.order(answer);
      if (hasEnded(answer.value)) return answer;
      isKnown = true;
      outSinceMs = null;
    } catch (error) {
      if (!(error instanceof CliError) || !isKnown) throw error;
      const isFirst = outSinceMs === null;
      outSinceMs ??= environment.now();
      const isOver = environment.now() - outSinceMs > outageMaxMs;
      if (isOver || error.code !== exitCodes.failed) throw withOrder(error, context, orderId);
      if (isFirst) view.outage();
    }
    await environment.sleep(delayMs);
    delayMs = Math.min(delayMs * pollGrowth, pollMaxMs);
  }
}

/** Error is not final, but an order in Error waits for an operator. */
function hasEnded({ processState }: OrderDocument): boolean {
  return processState === 'Processed' || processState === 'Undone' || processState === 'Error';
}

/** Adds the order id, because with `--json` nothing else has printed it. */
function withOrder(cause: CliError, context: Context, orderId: string): CliError {
  const command = commandText(context, 'show', [orderId]);
  const message = `${cause.message}\nLook at the order later with: ${command}`;
  const { code, reason, answer } = cause;
  return new CliError(code, message, { reason, answer, orderId, cause });
}
