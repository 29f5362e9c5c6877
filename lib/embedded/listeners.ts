/** Who is shown what was committed. */
import { decodeOrSkip } from '#core/codec/decode-or-skip.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { DamageReport } from '#embedded/integrity/damage-report.ts';
import { intactChange } from '#embedded/integrity/intact-rows.ts';
import type { Outbox, StoredChange } from '#ports/outbox.ts';
import { numberOf } from './rows.ts';
import type { Statements } from './statements.ts';

/** `before`: the revision that it replaced; null for a new order. */
export type RecordListener = (record: ProcessRecord, before: ProcessRecord | null) => void;

export interface Listeners extends Pick<Outbox, 'watchChanges'> {
  /** Calls `listener` with every committed record, until the function it gives is called. */
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
    watchChanges(listener) {
      // One that is damaged is reported by the read, and kept for whoever looks into it.
      const numbers = damage.row('Changes', 'listing', () => sql.changes.all()).map(numberOf);
      const left = decodeOrSkip(numbers, read, () => {});
      for (const change of left) listener(change);
      onChange = listener;
    },
    watchRecords(listener) {
      onRecord.add(listener);
      return () => onRecord.delete(listener);
    },
  };
}
