/** Formats durations and relative times: "in 3 s", "12 min ago". */
const units = [
  { name: 's', ms: 1_000, upTo: 90_000 },
  { name: 'min', ms: 60_000, upTo: 90 * 60_000 },
  { name: 'h', ms: 3_600_000, upTo: 36 * 3_600_000 },
  { name: 'days', ms: 86_400_000, upTo: Number.POSITIVE_INFINITY },
] as const;

/** A duration in the largest suitable unit: "90 s" becomes "2 min". */
export function durationText(ms: number): string {
  const unit = units.find(({ upTo }) => ms < upTo) ?? units[0];
  return `${Math.round(ms / unit.ms)} ${unit.name}`;
}

export function relativeTime(atMs: number, nowMs: number): string {
  const lengthMs = Math.abs(atMs - nowMs);
  if (lengthMs < 500) return 'now';
  return atMs > nowMs ? `in ${durationText(lengthMs)}` : `${durationText(lengthMs)} ago`;
}

/** As {@link relativeTime}; a dash for null. */
export function relativeTimeOrNone(atMs: number | null, nowMs: number): string {
  return atMs === null ? '–' : relativeTime(atMs, nowMs);
}
