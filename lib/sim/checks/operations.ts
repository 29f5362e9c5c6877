/**
 * Checks that a store behaves as if its operations happened one after the other (Herlihy and Wing, TOPLAS 1990).
 * Revisions number the writes of an order, some of them several, so no search is needed: the requests, answers and their times determine
 * the sequence.
 */
import type { OrderId } from '#core/model/ids.ts';

/** One operation as its caller saw it; instants are positions in the sequence of all events. */
export type Operation = WriteOperation | ReadOperation;

interface Seen {
  readonly orderId: OrderId;
  readonly askedAt: number;
  /** Null while or because no answer arrived: the caller crashed, or received an error. */
  answeredAt: number | null;
}
interface WriteOperation extends Seen {
  readonly kind: 'write';
  /** The revision to be written, the one that it replaces (0: none), and the id of the write. */
  readonly revision: number;
  readonly replaced: number;
  readonly writeId: string;
  won: boolean | null;
}
interface ReadOperation extends Seen {
  readonly kind: 'read';
  /** 0: the order did not exist. */
  revision: number | null;
}

type RevisionChange = Pick<WriteOperation, 'revision' | 'replaced'>;

/** Records operations when they are called; the returned functions record the answers. */
export interface OperationLog {
  readonly operations: readonly Operation[];
  write(orderId: OrderId, change: RevisionChange, writeId: string): (won: boolean) => void;
  read(orderId: OrderId): (revision: number) => void;
}

export function operationLog(): OperationLog {
  const operations: Operation[] = [];
  let place = 0;
  const next = (): number => {
    place += 1;
    return place;
  };
  return {
    operations,
    write(orderId, change, writeId) {
      const asked = { kind: 'write', orderId, ...change, writeId, askedAt: next() } as const;
      const operation: WriteOperation = { ...asked, answeredAt: null, won: null };
      operations.push(operation);
      return (won) => {
        operation.won = won;
        operation.answeredAt = next();
      };
    },
    read(orderId) {
      const asked = { kind: 'read', orderId, askedAt: next() } as const;
      const operation: ReadOperation = { ...asked, answeredAt: null, revision: null };
      operations.push(operation);
      return (revision) => {
        operation.revision = revision;
        operation.answeredAt = next();
      };
    },
  };
}

/** Describes what contradicts every sequence of the operations on one record; null when some sequence fits. */
export function contradictionIn(operations: readonly Operation[]): string | null {
  const writers = new Map<number, string>();
  const firstAsked = new Map<number, number>();
  for (const one of operations) {
    if (one.kind !== 'write') continue;
    const { revision, replaced, writeId, won, askedAt } = one;
    firstAsked.set(revision, Math.min(askedAt, firstAsked.get(revision) ?? askedAt));
    if (won !== true) continue;
    for (let part = replaced + 1; part <= revision; part += 1) {
      const other = writers.get(part);
      if (other !== undefined && other !== writeId) return `two writes won revision ${part}`;
      writers.set(part, writeId);
    }
  }

  // Known revisions by time: a later operation must not see an older one.
  const known = operations
    .flatMap((one) => {
      const revision = one.kind === 'write' && one.won !== true ? null : one.revision;
      return one.answeredAt === null || revision === null ? [] : [{ at: one.answeredAt, revision }];
    })
    .sort((a, b) => a.at - b.at);
  let place = 0;
  let least = 0;
  for (const one of [...operations].sort((a, b) => a.askedAt - b.askedAt)) {
    for (
      let next = known[place];
      next !== undefined && next.at < one.askedAt;
      next = known[place]
    ) {
      least = Math.max(least, next.revision);
      place += 1;
    }
    const problem = one.kind === 'read' ? misread(one, least) : mislaid(one, least);
    if (problem !== null) return problem;
  }
  return null;

  function misread({ revision, answeredAt }: ReadOperation, since: number): string | null {
    if (revision === null || answeredAt === null) return null;
    if (revision < since) return `revision ${revision} was read after ${since} existed`;
    const asked = firstAsked.get(revision) ?? Number.POSITIVE_INFINITY;
    return revision > 0 && asked > answeredAt
      ? `revision ${revision} was read before it was written`
      : null;
  }

  function mislaid(
    { revision, replaced, writeId, won, answeredAt }: WriteOperation,
    since: number,
  ) {
    if (won === true && since > revision && writers.get(revision) !== writeId) {
      return `revision ${revision} was won after ${since} existed`;
    }
    if (won !== false || answeredAt === null || revision === 1) return null;
    const isOwn = writers.get(revision) === writeId;
    const rival = operations.some(
      (one) =>
        one.kind === 'write' &&
        one.writeId !== writeId &&
        one.askedAt < answeredAt &&
        one.revision > (isOwn ? revision : replaced),
    );
    if (rival) return null;
    if (isOwn) return `revision ${revision} was refused to the write that had won it`;
    return since === replaced
      ? `revision ${revision} was refused, and no other write competed`
      : null;
  }
}
