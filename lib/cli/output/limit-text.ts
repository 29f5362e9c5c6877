/** Formats limits. */
import type { LimitDocument } from '#cli/api/agent-schemas.ts';
import { amountText, rateText } from '#text/rate-text.ts';
import { relativeTime } from '#text/relative-time.ts';
import type { Paint } from './paint.ts';
import { tableLines } from './table.ts';

const titles = ['LIMIT', 'FOR', 'RATE', 'AT ONCE', 'CHANGED'];

export function limitLines(
  limits: readonly LimitDocument[],
  nowMs: number,
  paint: Paint,
): readonly string[] {
  const rows = limits.map((limit) => [
    limit.name,
    limit.byKey ? 'each key' : 'all calls',
    limit.rate === null ? '' : rateText(limit.rate),
    limit.atOnce === null ? '' : String(limit.atOnce),
    changedText(limit, nowMs, paint),
  ]);
  return tableLines(titles, rows, paint);
}

/** How much a limit allows now, and who changed it. */
export function limitLine(limit: LimitDocument, nowMs: number, paint: Paint): string {
  const changed = changedText(limit, nowMs, paint);
  return [`Limit ${limit.name}`, amountText(limit), ...(changed === '' ? [] : [changed])].join(
    '  ',
  );
}

function changedText({ changed, defined }: LimitDocument, nowMs: number, paint: Paint): string {
  if (changed === null) return '';
  const by = `by ${changed.by} ${relativeTime(changed.at, nowMs)}`;
  return paint('yellow', `${by}; defined: ${amountText(defined)}`);
}
