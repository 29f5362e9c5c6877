/** Deletes orders that ended long ago, from the oldest, a batch a call. */
import { decodeOrSkip } from '#core/codec/decode-or-skip.ts';
import type { DamageReport } from '#embedded/integrity/damage-report.ts';
import { intactRecord } from '#embedded/integrity/intact-rows.ts';
import type { RunningTotals } from '#embedded/integrity/totals.ts';
import type { GroupCommit } from './group-commit.ts';
import { ageOf, numberOf } from './rows.ts';
import type { Statements } from './statements.ts';

/** Orders looked at in one call: a millisecond's work, or ten where all of them are deleted. */
const batchMax = 500;

export interface ForgetOptions {
  readonly sql: Statements;
  readonly group: GroupCommit;
  readonly damage: DamageReport;
  readonly totals: RunningTotals;
  /** That row is gone for good. */
  readonly onForgotten: (seq: number) => void;
}

/** Gives how many orders it deleted; at one too young to have gone, the next call begins anew. */
export function forgetter(options: ForgetOptions): (before: number) => Promise<number> {
  const { sql, group, damage, totals, onForgotten } = options;
  let from = 0;

  function forget(before: number): { readonly gone: readonly number[]; readonly next: number } {
    const batch = sql.oldest.all(from, batchMax);
    // One that cannot be read is reported, and kept for whoever looks into it.
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
    // A changed bit can make an order look as if it had ended: what is deleted is read in full before.
    const gone = decodeOrSkip(
      ended,
      ({ Seq }) =>
        damage.row('Processes', Seq, () => ({ Seq, ...intactRecord(sql.listed.get(Seq), null) })),
      () => {},
    );
    for (const { Seq, orderId } of gone) {
      sql.forgetRecord.run(Seq);
      sql.forgetOrder.run(orderId);
      totals.forgot();
    }
    const isAtTheYoung = batch.length < batchMax || old.length < ages.length;
    const last = batch.at(-1);
    return {
      gone: gone.map(({ Seq }) => Seq),
      next: isAtTheYoung || last === undefined ? 0 : numberOf(last),
    };
  }

  return async (before) => {
    const { gone, next } = await group.write(() => forget(before));
    from = next;
    for (const seq of gone) onForgotten(seq);
    return gone.length;
  };
}
