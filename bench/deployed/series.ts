/** Series of samples over time. */

/** One sample. */
export interface Point {
  /** Since the begin, s. */
  readonly atS: number;
  readonly value: number;
}

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
}

export const maxOf = ({ points }: Series): number =>
  points.reduce((most, { value }) => Math.max(most, value), 0);

export const minOf = ({ points }: Series): number =>
  points.reduce((least, { value }) => Math.min(least, value), points[0]?.value ?? 0);

/** The time of the last sample, s. */
export const lengthOf = (all: readonly Series[]): number =>
  Math.max(0, ...all.map(({ points }) => points.at(-1)?.atS ?? 0));
