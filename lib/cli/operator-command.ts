/** `reeve resubmit` and `reeve cancel`: what a person decides about an order. */

import type { Action, BulkOptions } from './bulk-command.ts';
import { CliError } from './cli-error.ts';
import { askAndPrint, type Context } from './context.ts';
import { correctionsBody } from './corrections.ts';
import { acceptedSchema } from './documents.ts';
import { type ExitCode, exitCodes } from './exit-code.ts';
import { filterWords } from './order-filter.ts';
import { acceptedLine } from './order-text.ts';

export async function operate(
  context: Context,
  action: Action,
  orderId: string,
  { set, yes, ...filter }: BulkOptions,
): Promise<ExitCode> {
  if (filterWords(filter).length > 0) {
    throw new CliError(
      exitCodes.usage,
      'Give the id of one order, or options that select orders, but not both.',
    );
  }
  return askAndPrint(
    context,
    context.reeve,
    {
      method: 'POST',
      path: `/orders/${encodeURIComponent(orderId)}/${action}`,
      answer: acceptedSchema,
      ...(set !== undefined && { body: correctionsBody(set) }),
    },
    (accepted) => [acceptedLine(accepted, context.paint)],
  );
}
