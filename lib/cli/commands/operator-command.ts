/** `reeve resubmit`, `reeve cancel` and `reeve reprioritise` for one order. */

import { acceptedSchema } from '#cli/api/response-schemas.ts';
import { CliError } from '#cli/cli-error.ts';
import { askAndPrint, type Context } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/exit-code.ts';
import { correctionsBody } from '#cli/options/set-option.ts';
import { acceptedLine } from '#cli/output/order-text.ts';
import type { Action } from './bulk-asking.ts';
import type { BulkOptions } from './bulk-command.ts';
import { bulkWords } from './bulk-selection.ts';

export async function operate(
  context: Context,
  action: Action,
  orderId: string,
  { set, yes, priority, ...filter }: BulkOptions,
): Promise<ExitCode> {
  if (bulkWords(filter).length > 0) {
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
      ...(priority !== undefined && { body: JSON.stringify({ priority }) }),
    },
    (accepted) => [acceptedLine(accepted, context.paint)],
  );
}
