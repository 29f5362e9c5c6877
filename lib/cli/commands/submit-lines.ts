/**
 * `reeve submit --lines`: submits the orders of a file, one on each line. With `--key`, each line has a key of its own,
 * so that the same command continues where it was interrupted and submits no order twice.
 */
import { acceptedSchema } from '#cli/api/response-schemas.ts';
import { CliError } from '#cli/cli-error.ts';
import { type Context, printJson, printLines } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/exit-code.ts';
import { progress } from '#cli/output/progress.ts';
import { progressBar } from '#cli/output/progress-bar.ts';

/** Concurrent requests. */
const atOnce = 16;

/** An order in the file. */
export interface Line {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

/** `skipped`: it is answered with an earlier order of its singleton key, and nothing was stored. */
type Outcome = { readonly line: number } & (
  | { readonly kind: 'accepted' | 'skipped'; readonly orderId: string }
  | { readonly kind: 'refused' | 'failed'; readonly what: string }
);

/** @param key null: no idempotency keys */
export async function submitLines(
  context: Context,
  lines: readonly Line[],
  key: string | null,
): Promise<ExitCode> {
  const counts = { accepted: 0, skipped: 0, refused: 0, failed: 0 };
  const troubles: Exclude<Outcome, { orderId: string }>[] = [];
  const bar = progress(context);
  const waiting = lines.values();
  const work = async () => {
    for (const line of waiting) {
      const outcome = await submitLine(context, line, key);
      counts[outcome.kind] += 1;
      if (context.json) printJson(context.environment, outcome);
      else if ('what' in outcome) troubles.push(outcome);
      const done = counts.accepted + counts.skipped + counts.refused + counts.failed;
      bar.write((columns) => progressBar(done, lines.length, columns));
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  bar.clear();
  if (!context.json) {
    printLines(context.environment, [
      ...troubles.map(({ line, kind, what }) => `line ${line}  ${kind}: ${what}`),
      summary(context, counts),
    ]);
  }
  if (counts.failed > 0) return exitCodes.failed;
  return counts.refused > 0 ? exitCodes.refused : exitCodes.done;
}

async function submitLine(
  { reeve }: Context,
  { line, text }: Line,
  key: string | null,
): Promise<Outcome> {
  try {
    const { value } = await reeve({
      method: 'POST',
      path: '/orders',
      answer: acceptedSchema,
      body: text,
      ...(key !== null && { headers: { 'idempotency-key': `${key}-${line}` } }),
    });
    return { line, kind: value.skipped ? 'skipped' : 'accepted', orderId: value.orderId };
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const kind = error.code === exitCodes.refused ? 'refused' : 'failed';
    return { line, kind, what: error.message.split('\n')[0] ?? '' };
  }
}

function summary({ paint }: Context, counts: Readonly<Record<Outcome['kind'], number>>): string {
  const { accepted, skipped, refused, failed } = counts;
  const orders = accepted === 1 ? '1 order' : `${accepted.toLocaleString('en')} orders`;
  return (
    `${paint('green', '✓')} ${orders} accepted` +
    (skipped > 0 ? `, ${skipped.toLocaleString('en')} skipped` : '') +
    (refused > 0 ? `, ${refused.toLocaleString('en')} refused` : '') +
    (failed > 0 ? `, ${paint('red', `${failed.toLocaleString('en')} failed`)}` : '')
  );
}
