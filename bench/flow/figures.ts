/** Figures of a series of measurements. */

/** The value below which `part` of the values are; 0 of none. */
export function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** Two digits after the point. */
export const rounded = (value: number): number => Math.round(value * 100) / 100;

/** Jain's index of fairness: 1 when all have the same, 1/n when one has everything. */
export function jain(values: readonly number[]): number {
  const sum = values.reduce((all, value) => all + value, 0);
  const squares = values.reduce((all, value) => all + value * value, 0);
  return squares === 0 ? 1 : (sum * sum) / (values.length * squares);
}
