/**
 * `reeve submit --lines`: submits the orders of a file, one on each line. With `--key`, each line has a key of its own,
 * so that the same command continues where it was interrupted and submits no order twice.
 */
import { type OrderText, type Submitted, submitBatches } from '#cli/api/submit-batches.ts';
import { type Context, printJson, printLines } from '#cli/context.ts';
import { type ExitCode, exitCodes } from '#cli/exit-code.ts';
import { progress } from '#cli/output/progress.ts';
import { progressBar } from '#cli/output/progress-bar.ts';

/** An order in the file. */
export interface Line extends OrderText {
  /** From 1. */
  readonly line: number;
}

export async function submitLines(context: Context, lines: readonly Line[]): Promise<ExitCode> {
  const counts = { accepted: 0, skipped: 0, refused: 0, failed: 0 };
  const troubles: string[] = [];
  const bar = progress(context);
  for await (const [{ line }, submitted] of submitBatches(context, lines)) {
    const { kind } = submitted;
    counts[kind] += 1;
    if (context.json) printJson(context.environment, { line, ...submitted });
    else if ('what' in submitted) troubles.push(`line ${line}  ${kind}: ${submitted.what}`);
    const done = counts.accepted + counts.skipped + counts.refused + counts.failed;
    bar.write((columns) => progressBar(done, lines.length, columns));
  }
  bar.clear();
  if (!context.json) {
    printLines(context.environment, [...troubles, summary(context, counts)]);
  }
  if (counts.failed > 0) return exitCodes.failed;
  return counts.refused > 0 ? exitCodes.refused : exitCodes.done;
}

function summary({ paint }: Context, counts: Readonly<Record<Submitted['kind'], number>>): string {
  const { accepted, skipped, refused, failed } = counts;
  const orders = accepted === 1 ? '1 order' : `${accepted.toLocaleString('en')} orders`;
  return (
    `${paint('green', '✓')} ${orders} accepted` +
    (skipped > 0 ? `, ${skipped.toLocaleString('en')} skipped` : '') +
    (refused > 0 ? `, ${refused.toLocaleString('en')} refused` : '') +
    (failed > 0 ? `, ${paint('red', `${failed.toLocaleString('en')} failed`)}` : '')
  );
}
