/** Deletes orders that ended long ago, the oldest first, one batch per call. */
import { decodeOrSkip } from '#core/codec/decode-or-skip.ts';
import type { DamageReport } from '#embedded/integrity/damage-report.ts';
import { intactRecord } from '#embedded/integrity/intact-rows.ts';
import { assertOnward } from '#embedded/integrity/onward.ts';
import type { RunningTotals } from '#embedded/integrity/totals.ts';
import type { Retention } from '#ports/retention.ts';
import type { GroupCommit } from './group-commit.ts';
import { ageOf, numberOf } from './rows.ts';
import type { Statements } from './statements.ts';
import { isDamage } from './store-error.ts';
import type { Lines } from './tables/lines.ts';

/** Orders read in one call. It takes a millisecond, or ten when all of them are deleted. */
const batchMax = 500;

/** The parts of the store that {@link forgetter} uses. */
export interface ForgetOptions {
  readonly sql: Statements;
  readonly group: GroupCommit;
  readonly damage: DamageReport;
  readonly totals: RunningTotals;
  readonly lines: Lines;
  /** Called once the deletion of a row is durable. */
  readonly onForgotten: (seq: number) => void;
}

/**
 * Returns a function that deletes ended orders older than `before`, ms since the epoch. When it reaches orders of which most are too young, the
 * next call starts again at the oldest. Most, because a clock that was wrong for a while gives some orders another instant than their
 * neighbours have: one order must neither end a pass before those behind it, nor lead it through all young ones.
 */
export function forgetter(options: ForgetOptions): Retention['deleteEnded'] {
  const { sql, group, damage, totals, lines, onForgotten } = options;
  let from = 0;

  function forget(
    after: number,
    before: number,
    now: number,
  ): { readonly deleted: readonly number[]; readonly next: number } {
    const batch = damage.row('Processes', 'listing', () => {
      const found = sql.oldest.all(after, batchMax);
      const last = found.at(-1);
      assertOnward(last === undefined || numberOf(last) > after);
      return found;
    });
    // An unreadable order is reported, and kept for the investigation.
    const ages = decodeOrSkip(
      batch,
      (row) => damage.row('Processes', numberOf(row), () => ageOf(row)),
      () => {},
    );
    const old = ages.filter(({ SubmittedAt }) => SubmittedAt < before);
    const ended = old.filter(
      ({ ProcessState, UpdatedAt }) =>
        UpdatedAt < before && (ProcessState === 'Processed' || ProcessState === 'Undone'),
    );
    // A flipped bit can make a live order look ended, so each row is verified before it is deleted.
    const deleted = decodeOrSkip(
      ended,
      ({ Seq }) =>
        damage.row('Processes', Seq, () => ({ Seq, ...intactRecord(sql.listed.get(Seq), null) })),
      () => {},
    );
    for (const { Seq, ...record } of deleted) {
      sql.forgetRecord.run(Seq);
      sql.forgetOrder.run(record.orderId);
      lines.forget(record);
      totals.forgot();
    }
    const young = ages.filter(
      ({ SubmittedAt }) => SubmittedAt >= before && SubmittedAt <= now,
    ).length;
    const isOver = batch.length < batchMax || young > ages.length / 2;
    const last = batch.at(-1);
    return {
      deleted: deleted.map(({ Seq }) => Seq),
      next: isOver || last === undefined ? 0 : numberOf(last),
    };
  }

  return async (before, now) => {
    const after = from;
    // After an error, what can be read at the beginning is deleted again.
    from = 0;
    const { deleted, next } = await group.write(() => forget(after, before, now));
    from = next;
    for (const seq of deleted) onForgotten(seq);
    return { deleted: deleted.length, hasMore: next > 0 };
  };
}

/** When the newest order was submitted, ms since the epoch; null: there is none, or its row is damaged. */
export function newestOf({ newest }: Pick<Statements, 'newest'>): number | null {
  try {
    const at = Number(newest.get()?.['SubmittedAt'] ?? Number.NaN);
    return Number.isSafeInteger(at) ? at : null;
  } catch (error) {
    // A start goes on without a page of orders, and the check in the background reports it.
    if (!isDamage(error)) throw error;
    return null;
  }
}
