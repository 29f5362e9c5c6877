/** How orders, their records, their changes and their lines are written: each write is a part of a group commit. */
import { dueAt } from '#core/decide/due.ts';
import { audienceOf, changeOf } from '#core/model/change.ts';
import { CorruptDataError } from '#core/model/errors.ts';
import type { Order, ProcessRecord, ProcessState } from '#core/model/record.ts';
import { changeChecksum, orderChecksum } from '#embedded/integrity/checksums.ts';
import type { DamageReport } from '#embedded/integrity/damage-report.ts';
import type { RunningTotals } from '#embedded/integrity/totals.ts';
import type { StoredChange } from '#ports/outbox.ts';
import type { LineJoin, StateStore } from '#ports/state-store.ts';
import type { GroupCommit, Write } from './group-commit.ts';
import type { Listeners } from './listeners.ts';
import type { RecordCache } from './record-cache.ts';
import type { Statements } from './statements.ts';
import type { Lines } from './tables/lines.ts';

interface WriteParts extends Pick<Listeners, 'notify'> {
  readonly sql: Statements;
  readonly cache: RecordCache;
  readonly group: GroupCommit;
  readonly damage: DamageReport;
  readonly totals: RunningTotals;
  readonly lines: Lines;
}

type Cached = NonNullable<ReturnType<RecordCache['get']>>;

/** The writes of the embedded store. A listener learns of each record once it is durable. */
export function writes(
  { sql, cache, group, damage, totals, lines, notify }: WriteParts,
  sweepPeriodMs: number,
): Pick<StateStore, 'create' | 'commit' | 'line' | 'changeLine'> {
  const dueKey = (record: ProcessRecord) => {
    const due = dueAt(record);
    return due === null ? null : Math.ceil(due / sweepPeriodMs) * sweepPeriodMs;
  };
  const noteChange = (before: ProcessState | null, record: ProcessRecord): StoredChange[] => {
    const change = changeOf(before, record);
    if (change === null) return [];
    return audienceOf(change).map((audience) => {
      const text = JSON.stringify(change);
      const checksum = changeChecksum(text, audience);
      const { lastInsertRowid } = sql.insertChange.run(text, audience, checksum);
      return { seq: Number(lastInsertRowid), change, audience };
    });
  };
  /** Null where the stored record does not have the revision that this one replaces. */
  const replace: CommitParts['replace'] = (before, record, replaced) => {
    if (before === undefined) return null;
    const due = dueKey(record);
    const written = sql.replace(before, record, replaced, due);
    if (written === null) return null;
    totals.revised(record.revision - replaced);
    const { order, seq, detailsLength } = before;
    cache.keep({ order, seq, due, record, detailsLength, ...written });
    return { before: before.record, changes: noteChange(before.record.processState, record) };
  };
  const isCurrent = (next: ProcessRecord | undefined) =>
    next === undefined || cache.get(next.orderId)?.record.revision === next.revision - 1;
  const one: CommitParts = { cache, replace, notify, damage };
  /**
   * The answer where the id is in use: that of the first request for its repetition. Asked only when the order cannot be stored as new, because it reads
   * the tables.
   */
  const known = ({ orderId, writeId }: ProcessRecord) => {
    const stored = cache.get(orderId)?.record;
    if (stored === undefined) return null;
    return stored.writeId === writeId ? 'created' : 'exists';
  };
  const createNow = (order: Order, record: ProcessRecord, line: LineJoin | undefined) => {
    const { orderId, details, digest, submittedAt } = order;
    const { replaced } = line ?? {};
    if (line !== undefined && !(lines.isAsRead(line) && isCurrent(replaced))) {
      // A repetition finds the line as its own first request has left it, and is not overtaken.
      return known(record) ?? 'overtaken';
    }
    const document = JSON.stringify(details);
    const checksum = orderChecksum(orderId, document, digest, submittedAt);
    const { changes } = sql.insertOrder.run(orderId, document, digest, submittedAt, checksum);
    if (changes === 0) return known(record) ?? 'exists';
    const due = dueKey(record);
    const inserted = sql.insert(record, due);
    if (line !== undefined) lines.write(line);
    totals.accepted();
    cache.keep({ order, record, due, detailsLength: document.length, ...inserted });
    if (replaced === undefined) return { gone: undefined, changes: noteChange(null, record) };
    const gone = damage.row('Processes', replaced.orderId, () =>
      written(replace(cache.get(replaced.orderId), replaced, replaced.revision - 1)),
    );
    return { gone, changes: noteChange(null, record) };
  };
  return {
    async create(order, record, line) {
      const stored = await group.write(() => createNow(order, record, line));
      if (typeof stored === 'string') return stored;
      const { gone, changes } = stored;
      if (line?.replaced && gone) notify(line.replaced, gone.before, gone.changes);
      notify(record, null, changes);
      return 'created';
    },

    commit: (record, replaced = record.revision - 1) =>
      group.add(new RecordCommit(one, record, replaced)),

    line: async (name) => lines.read(name),
    changeLine: (change) =>
      group.write(() => {
        const isAsRead = lines.isAsRead(change);
        if (isAsRead) lines.write(change);
        return isAsRead;
      }),
  };
}

/** What one record replaced, with the changes to tell. */
interface Replacement {
  readonly before: ProcessRecord;
  readonly changes: readonly StoredChange[];
}

interface CommitParts extends Pick<WriteParts, 'cache' | 'notify' | 'damage'> {
  readonly replace: (
    before: Cached | undefined,
    record: ProcessRecord,
    replaced: number,
  ) => Replacement | null;
}

/** The conditional write of one record: a class, because each transition of each order is one. */
class RecordCommit implements Write<'committed' | 'conflict'> {
  readonly #parts: CommitParts;
  readonly #record: ProcessRecord;
  readonly #replaced: number;
  #written: Replacement | 'committed' | 'conflict' = 'conflict';

  constructor(parts: CommitParts, record: ProcessRecord, replaced: number) {
    this.#parts = parts;
    this.#record = record;
    this.#replaced = replaced;
  }

  run() {
    const before = this.#parts.cache.get(this.#record.orderId);
    try {
      this.#written =
        before?.record.writeId === this.#record.writeId
          ? 'committed'
          : (this.#parts.replace(before, this.#record, this.#replaced) ?? 'conflict');
    } catch (error) {
      this.#parts.damage.unstored(this.#record, error);
      throw error;
    }
  }

  result() {
    if (typeof this.#written === 'string') return this.#written;
    this.#parts.notify(this.#record, this.#written.before, this.#written.changes);
    return 'committed' as const;
  }
}

/** The cache has the revision that is to be replaced: a table without it is not as it was written. */
function written(replacement: Replacement | null): Replacement {
  if (replacement !== null) return replacement;
  throw new CorruptDataError(
    'row-damaged',
    'The stored record of an order that was to be replaced has another revision than it had when it was read. Nothing was written.',
  );
}
