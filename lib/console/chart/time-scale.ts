/** Maps instants to positions from 0 to 1; long quiet periods are drawn short. */

export interface Stretch {
  readonly from: number;
  readonly to: number;
}

export interface Break {
  /** Where it is drawn, from 0 to 1. */
  readonly left: number;
  readonly width: number;
  readonly ms: number;
}

export interface TimeScale {
  /** The position of an instant in ms since the epoch. */
  place(atMs: number): number;
  readonly breaks: readonly Break[];
  readonly ticks: readonly { readonly left: number; readonly ms: number }[];
}

/** A quiet period is drawn at most as long as this share of the busy time. */
const quietShare = 0.12;
const quietMinMs = 400;

export function timeScale(range: Stretch, busy: readonly Stretch[]): TimeScale {
  const merged = union([
    ...busy,
    { from: range.from, to: range.from },
    { from: range.to, to: range.to },
  ]);
  const busyMs = merged.reduce((sum, { from, to }) => sum + to - from, 0);
  const quietMaxMs = Math.max(quietMinMs, busyMs * quietShare);
  const pieces: { from: number; to: number; drawn: number }[] = [];
  for (const [index, { from, to }] of merged.entries()) {
    const before = merged[index - 1];
    if (before !== undefined) {
      const drawn = Math.min(from - before.to, quietMaxMs);
      pieces.push({ from: before.to, to: from, drawn });
    }
    pieces.push({ from, to, drawn: to - from });
  }
  const total = Math.max(
    1,
    pieces.reduce((sum, { drawn }) => sum + drawn, 0),
  );
  const place = (atMs: number) => {
    let x = 0;
    for (const { from, to, drawn } of pieces) {
      if (atMs < to)
        return (
          Math.max(0, x + (to === from ? 0 : (Math.max(0, atMs - from) / (to - from)) * drawn)) /
          total
        );
      x += drawn;
    }
    return 1;
  };
  const breaks = pieces
    .filter(({ from, to, drawn }) => to - from > drawn)
    .map(({ from, to, drawn }) => ({ left: place(from), width: drawn / total, ms: to - from }));
  return { place, breaks, ticks: ticksOf(range, total, place, breaks) };
}

const steps = [1, 2, 5].flatMap((digit) => [0, 1, 2].map((zeros) => digit * 10 ** zeros));
const tickMs = [
  ...steps.toSorted((a, b) => a - b),
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 3, 6, 12, 24].map((hours) => hours * 3_600_000),
];
const ticksMax = 6;

/** Whole lengths of time since the beginning, up to the first break: after it they would mislead. */
function ticksOf(
  { from }: Stretch,
  totalMs: number,
  place: (atMs: number) => number,
  breaks: readonly Break[],
): TimeScale['ticks'] {
  const step = tickMs.find((ms) => totalMs / ms <= ticksMax) ?? totalMs;
  const end = breaks[0]?.left ?? 1;
  const ticks: { left: number; ms: number }[] = [];
  for (let ms = 0; ms <= totalMs; ms += step) {
    const left = place(from + ms);
    if (left > end - 0.02 && ms > 0) break;
    ticks.push({ left, ms });
  }
  return ticks;
}

function union(stretches: readonly Stretch[]): Stretch[] {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of stretches.toSorted((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}
