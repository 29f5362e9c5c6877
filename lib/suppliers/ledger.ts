/**
 * The effect ledger of the services: one row per service and key, durable before the caller gets its answer.
 *
 * 1. The effect of a key and its answer are written in one transaction, at most once.
 * 2. The first verdict on a key is final: every repeat of the request gets the same answer.
 * 3. After an undo of a key, it has no effect, now or later.
 *
 * Calls that come in one turn of the event loop share one transaction, in the order in which they came: a service that waits for the disk
 * at each call would not answer under load, and a test of Reeve would measure that.
 */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  countOf,
  createEntries,
  type EffectEntry,
  type Entry,
  type EntryState,
  effectEntryOf,
  entryOf,
} from './entry.ts';
import type { Job, ServiceName } from './services.ts';

/** How long to wait for a former process that still locks the file, ms. */
const BUSY_TIMEOUT_MS = 5_000;

/** A call of `perform`. */
export interface PerformCall {
  readonly service: ServiceName;
  readonly key: string;
  /** Detects another request with the same key. */
  readonly fingerprint: string;
  readonly job: Job;
}

/** The result for a new key; `answer` is the body of the response. */
export interface Verdict {
  readonly kind: 'applied' | 'declined';
  readonly answer: string;
}

export type Performed = Verdict | { readonly kind: 'tombstoned' | 'key-reused' };

export type Summary = Record<ServiceName, Record<EntryState, number>>;

/** A call that waits for the transaction of its turn. */
interface Waiting {
  /** Returns what answers the call once its effect is durable. */
  readonly work: () => () => void;
  readonly reject: (error: unknown) => void;
}

export class Ledger {
  readonly #db: DatabaseSync;
  readonly #now: () => number;
  readonly #waiting: Waiting[] = [];
  readonly #statements = new Map<string, StatementSync>();

  /**
   * Opens the ledger; creates it when it does not exist.
   *
   * @param now milliseconds since the epoch, for the entries' `at`
   */
  constructor(file: string, now: () => number) {
    this.#db = new DatabaseSync(file, { timeout: BUSY_TIMEOUT_MS });
    this.#now = now;
    // FULL: an answer must survive a power cut, or a repeat would cause a second effect.
    this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
    this.#db.exec(createEntries);
  }

  /**
   * Applies a job once; returns the stored answer for a known key.
   *
   * @param verdict called for a new key only; its result is stored and replayed
   */
  perform(call: PerformCall, verdict: () => Verdict): Promise<Performed> {
    return this.#inTurn<Performed>(() => {
      const entry = this.#effectOf(call.service, call.key);
      if (entry === null) {
        const first = verdict();
        this.#write(call, first);
        return first;
      }
      this.#countCall(call);
      switch (entry.state) {
        case 'undone':
        case 'tombstoned':
          return { kind: 'tombstoned' };
        case 'applied':
        case 'declined':
          if (entry.fingerprint !== call.fingerprint) return { kind: 'key-reused' };
          return { kind: entry.state, answer: entry.answer };
      }
    });
  }

  /**
   * Undoes the effect of a key; writes a tombstone when the key is unknown.
   *
   * @returns whether there was an effect to undo; a repeat returns the same
   */
  undo(service: ServiceName, performKey: string): Promise<boolean> {
    return this.#inTurn(() => {
      this.#prepared(
        `UPDATE entries SET state = 'undone', at_ms = ?
         WHERE service = ? AND key = ? AND state = 'applied'`,
      ).run(this.#now(), service, performKey);
      // A declined key keeps its row, which refuses later performs like a tombstone.
      this.#prepared(
        `INSERT INTO entries (service, key, state, calls, effects, at_ms)
         VALUES (?, ?, 'tombstoned', 0, 0, ?)
         ON CONFLICT (service, key) DO NOTHING`,
      ).run(service, performKey, this.#now());
      return this.#effectOf(service, performKey)?.state === 'undone';
    });
  }

  /** The entries of one order, or all of them, oldest first. */
  entries(orderId?: string): Entry[] {
    const rows =
      orderId === undefined
        ? this.#prepared('SELECT * FROM entries ORDER BY rowid').all()
        : this.#prepared('SELECT * FROM entries WHERE order_id = ? ORDER BY rowid').all(orderId);
    return rows.map(entryOf);
  }

  summary(): Summary {
    const summary: Summary = {
      fraud: noneYet(),
      inventory: noneYet(),
      payment: noneYet(),
      shipping: noneYet(),
    };
    const rows = this.#prepared(
      'SELECT service, state, count(*) AS count FROM entries GROUP BY service, state',
    ).all();
    for (const { service, state, count } of rows.map(countOf)) summary[service][state] = count;
    return summary;
  }

  /** Answers the calls that wait, and closes the file. */
  close(): void {
    if (!this.#db.isOpen) return;
    this.#commit();
    this.#db.close();
  }

  #prepared(sql: string): StatementSync {
    const statement = this.#statements.get(sql) ?? this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  #effectOf(service: ServiceName, key: string): EffectEntry | null {
    const row = this.#prepared(
      'SELECT state, fingerprint, answer FROM entries WHERE service = ? AND key = ?',
    ).get(service, key);
    return row === undefined ? null : effectEntryOf(row);
  }

  /** An upsert, although the row is always new, so that a second effect would be counted and not hidden. */
  #write(call: PerformCall, verdict: Verdict): void {
    this.#prepared(
      `INSERT INTO entries
         (service, key, order_id, fingerprint, state, calls, effects, amount_cents, answer, at_ms)
       VALUES (?, ?, ?, ?, ?, 1, ?, ?, ?, ?)
       ON CONFLICT (service, key) DO UPDATE
         SET calls = calls + 1, effects = effects + excluded.effects`,
    ).run(
      call.service,
      call.key,
      call.job.orderId,
      call.fingerprint,
      verdict.kind,
      verdict.kind === 'applied' ? 1 : 0,
      call.job.amountCents,
      verdict.answer,
      this.#now(),
    );
  }

  /** Also adds the order id to a tombstone, because an undo does not contain it. */
  #countCall(call: PerformCall): void {
    this.#prepared(
      `UPDATE entries SET calls = calls + 1, order_id = coalesce(order_id, ?)
       WHERE service = ? AND key = ?`,
    ).run(call.job.orderId, call.service, call.key);
  }

  /** @throws what made the transaction fail, for each of its calls: none of them had an effect */
  #inTurn<Result>(work: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      const answered = () => {
        const result = work();
        return () => resolve(result);
      };
      if (this.#waiting.push({ work: answered, reject }) === 1) setImmediate(() => this.#commit());
    });
  }

  #commit(): void {
    const calls = this.#waiting.splice(0);
    if (calls.length === 0) return;
    try {
      const answers = this.#inTransaction(() => calls.map(({ work }) => work()));
      for (const answer of answers) answer();
    } catch (error) {
      for (const { reject } of calls) reject(error);
    }
  }

  /** IMMEDIATE takes the lock before the first read, so that no other process writes in between. */
  #inTransaction<Result>(work: () => Result): Result {
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } finally {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    }
  }
}

function noneYet(): Record<EntryState, number> {
  return { applied: 0, undone: 0, declined: 0, tombstoned: 0 };
}
