/** The minutes of the last hour as the places of a drawing: bars of ends, and a line of submissions. */
import type { ActivityDocument } from '#console/api/documents.ts';

export type Minute = ActivityDocument['minutes'][number];
export type Ending = 'processed' | 'undone' | 'error';

const endings: readonly Ending[] = ['processed', 'undone', 'error'];

export interface ChartBar {
  readonly ending: Ending;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface ChartShape {
  readonly bars: readonly ChartBar[];
  /** Submissions, as a path of steps. */
  readonly line: string;
  readonly top: number;
  readonly columnWidth: number;
}

export function chartShape(
  minutes: readonly Minute[],
  { width, height }: { readonly width: number; readonly height: number },
): ChartShape {
  const highest = minutes.map(({ submitted, processed, undone, error }) =>
    Math.max(submitted, processed + undone + error),
  );
  const top = roundTop(Math.max(...highest, 1));
  const columnWidth = width / Math.max(1, minutes.length);
  const gap = Math.min(2, columnWidth * 0.25);
  const y = (count: number) => height - (count / top) * height;
  const bars: ChartBar[] = [];
  let line = '';
  for (const [at, minute] of minutes.entries()) {
    let below = 0;
    for (const ending of endings) {
      const count = minute[ending];
      if (count === 0) continue;
      bars.push({
        ending,
        x: at * columnWidth + gap / 2,
        y: y(below + count),
        width: columnWidth - gap,
        height: y(below) - y(below + count),
      });
      below += count;
    }
    line += `${at === 0 ? 'M' : 'L'}${at * columnWidth} ${y(minute.submitted)}H${(at + 1) * columnWidth}`;
  }
  return { bars, line, top, columnWidth };
}

/** A round number that is even, so that half of it is a whole number: at least 4. */
function roundTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  const rounds = [1, 2, 3, 4, 6, 8, 10, 20].map((digit) => digit * power);
  return Math.max(4, rounds.find((round) => round >= value && round % 2 === 0) ?? value);
}

export function totals(minutes: readonly Minute[]): Record<Ending | 'submitted', number> {
  const sum = { submitted: 0, processed: 0, undone: 0, error: 0 };
  for (const minute of minutes) {
    sum.submitted += minute.submitted;
    for (const ending of endings) sum[ending] += minute[ending];
  }
  return sum;
}
