/** How orders, their records, their changes and their lines are written: each write is a part of a group commit. */
import { dueAt } from '#core/decide/due.ts';
import { audienceOf, changeOf } from '#core/model/change.ts';
import { CorruptDataError } from '#core/model/errors.ts';
import type { ProcessRecord, ProcessState } from '#core/model/record.ts';
import { changeChecksum, orderChecksum } from '#embedded/integrity/checksums.ts';
import type { RunningTotals } from '#embedded/integrity/totals.ts';
import type { StoredChange } from '#ports/outbox.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { GroupCommit, Write } from './group-commit.ts';
import type { Listeners } from './listeners.ts';
import type { RecordCache } from './record-cache.ts';
import type { Statements } from './statements.ts';
import type { Lines } from './tables/lines.ts';

interface WriteParts extends Pick<Listeners, 'notify'> {
  readonly sql: Statements;
  readonly cache: RecordCache;
  readonly group: GroupCommit;
  readonly totals: RunningTotals;
  readonly lines: Lines;
}

type Cached = NonNullable<ReturnType<RecordCache['get']>>;

/** The writes of the embedded store. A listener learns of each record once it is durable. */
export function writes(
  { sql, cache, group, totals, lines, notify }: WriteParts,
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
    const texts = sql.replace(before, record, replaced, due);
    if (texts === null) return null;
    totals.revised(record.revision - replaced);
    cache.keep({ order: before.order, seq: before.seq, due, record, texts });
    return { before: before.record, changes: noteChange(before.record.processState, record) };
  };
  const isCurrent = (next: ProcessRecord | undefined) =>
    next === undefined || cache.get(next.orderId)?.record.revision === next.revision - 1;
  const one: CommitParts = { cache, replace, notify };
  return {
    async create(order, record, line) {
      const { orderId, details, digest, submittedAt } = order;
      const { replaced } = line ?? {};
      const stored = await group.write(() => {
        if (line !== undefined && !(lines.isAsRead(line) && isCurrent(replaced))) {
          const known = cache.get(orderId)?.record;
          if (known === undefined) return 'overtaken';
          return known.writeId === record.writeId ? 'created' : 'exists';
        }
        const document = JSON.stringify(details);
        const checksum = orderChecksum(orderId, document, digest, submittedAt);
        if (sql.insertOrder.run(orderId, document, digest, submittedAt, checksum).changes === 0) {
          return cache.get(orderId)?.record.writeId === record.writeId ? 'created' : 'exists';
        }
        const due = dueKey(record);
        const inserted = sql.insert(record, due);
        if (line !== undefined) lines.write(line);
        totals.accepted();
        cache.keep({ order, record, due, ...inserted });
        const gone =
          replaced && replace(cache.get(replaced.orderId), replaced, replaced.revision - 1);
        // The cache, which has the revision, is not what is stored.
        if (gone === null) throw damaged();
        return { gone, changes: noteChange(null, record) };
      });
      if (typeof stored === 'string') return stored;
      const { gone, changes } = stored;
      if (replaced && gone) notify(replaced, gone.before, gone.changes);
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

interface CommitParts extends Pick<WriteParts, 'cache' | 'notify'> {
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
    this.#written =
      before?.record.writeId === this.#record.writeId
        ? 'committed'
        : (this.#parts.replace(before, this.#record, this.#replaced) ?? 'conflict');
  }

  result() {
    if (typeof this.#written === 'string') return this.#written;
    this.#parts.notify(this.#record, this.#written.before, this.#written.changes);
    return 'committed' as const;
  }
}

const damaged = () =>
  new CorruptDataError(
    'row-damaged',
    'The stored record of an order that was to be replaced has another revision than it had when it was read. Nothing was written.',
  );
