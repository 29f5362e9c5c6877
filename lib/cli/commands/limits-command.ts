/** `reeve limits`: how much each limit allows, and what operators change of it while orders run. */
import { agentsSchema, limitSchema } from '#cli/api/agent-schemas.ts';
import { CliError } from '#cli/cli-error.ts';
import { askAndPrint, type Context } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/exit-code.ts';
import { limitLine, limitLines } from '#cli/output/limit-text.ts';

/** How much a limit is to allow; nothing: as it is defined. */
export interface LimitAmountOptions {
  readonly rate?: { readonly count: number; readonly per: number };
  readonly burst?: number;
  readonly atOnce?: number;
}

export async function showLimits(context: Context): Promise<ExitCode> {
  return askAndPrint(
    context,
    context.reeve,
    { method: 'GET', path: '/agents', answer: agentsSchema },
    ({ limits }) =>
      limits.length === 0
        ? ['No agent has limits.']
        : limitLines(limits, context.environment.now(), context.paint),
  );
}

/**
 * Changes how much a limit allows.
 *
 * @param limit its agent or pool, and its name: `payment/per-tenant`
 */
export async function setLimit(
  context: Context,
  limit: string,
  amount: LimitAmountOptions,
): Promise<ExitCode> {
  if (amount.burst !== undefined && amount.rate === undefined) {
    throw new CliError(exitCodes.usage, '--burst is a part of a rate: give --rate as well.');
  }
  if (amount.rate === undefined && amount.atOnce === undefined) {
    throw new CliError(exitCodes.usage, 'Give --rate, --at-once, or both.');
  }
  return change(context, limit, amount);
}

/** Lets a limit allow what its definition says. */
export const resetLimit = (context: Context, limit: string): Promise<ExitCode> =>
  change(context, limit, {});

async function change(
  context: Context,
  limit: string,
  { rate, burst, atOnce }: LimitAmountOptions,
): Promise<ExitCode> {
  const [owner, name, ...more] = limit.split('/');
  if (!owner || !name || more.length > 0) {
    const message = `${limit} is not the name of a limit: it is an agent or pool and a name, such as payment/per-tenant.`;
    throw new CliError(exitCodes.usage, message);
  }
  const body = {
    name,
    ...(rate !== undefined && { rate: { ...rate, ...(burst !== undefined && { burst }) } }),
    ...(atOnce !== undefined && { atOnce }),
  };
  return askAndPrint(
    context,
    context.reeve,
    {
      ...{ method: 'POST', path: `/agents/${encodeURIComponent(owner)}`, answer: limitSchema },
      body: JSON.stringify({ limit: body }),
    },
    (now) => [limitLine(now, context.environment.now(), context.paint)],
  );
}
