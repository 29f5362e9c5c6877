/** Listeners of commits. */
import { decodeOrSkip } from '#core/codec/decode-or-skip.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { DamageReport } from '#embedded/integrity/damage-report.ts';
import { intactChange } from '#embedded/integrity/intact-rows.ts';
import type { Outbox, StoredChange } from '#ports/outbox.ts';
import type { Statements } from './statements.ts';
import { changeNumbers } from './tables/change-numbers.ts';

/** @param before the revision that `record` replaced; null for a new order */
export type RecordListener = (record: ProcessRecord, before: ProcessRecord | null) => void;

/** The registered listeners, and the call that notifies them. */
export interface Listeners extends Pick<Outbox, 'changes' | 'watchChanges'> {
  /** Calls `listener` with every committed record; the returned function ends that. */
  watchRecords(listener: RecordListener): () => void;
  notify(
    record: ProcessRecord,
    before: ProcessRecord | null,
    changes: readonly StoredChange[],
  ): void;
}

export function listenersOf(sql: Statements, damage: DamageReport): Listeners {
  const onRecord = new Set<RecordListener>();
  let onChange: ((change: StoredChange) => void) | undefined;

  const read = (seq: number) => damage.row('Changes', seq, () => intactChange(sql.change.get(seq)));

  return {
    notify(record, before, changes) {
      for (const change of changes) onChange?.(change);
      for (const listener of onRecord) listener(record, before);
    },
    changes(after, limit) {
      const numbers = damage.row('Changes', 'listing', () =>
        changeNumbers(sql.changes, after, limit),
      );
      const last = numbers.at(-1);
      return {
        // The read reports a damaged change, which is kept for the investigation.
        entries: decodeOrSkip(numbers, read, () => {}),
        next: last === undefined || numbers.length < limit ? null : last,
      };
    },
    watchChanges(listener) {
      onChange = listener;
    },
    watchRecords(listener) {
      onRecord.add(listener);
      return () => onRecord.delete(listener);
    },
  };
}
