/** `reeve resubmit` and `reeve cancel`: what a person decides about an order. */
import { askAndPrint, type Context } from './context.ts';
import { acceptedSchema } from './documents.ts';
import type { ExitCode } from './exit-code.ts';
import { acceptedLine } from './order-text.ts';

export async function operate(
  context: Context,
  action: 'resubmit' | 'cancel',
  orderId: string,
): Promise<ExitCode> {
  return askAndPrint(
    context,
    context.reeve,
    {
      method: 'POST',
      path: `/orders/${encodeURIComponent(orderId)}/${action}`,
      answer: acceptedSchema,
    },
    (accepted) => [acceptedLine(accepted, context.paint)],
  );
}
