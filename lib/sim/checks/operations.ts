/**
 * Whether a store behaved as if its operations had happened one after the other (Herlihy and Wing,
 * TOPLAS 1990). Revisions number the writes of an order, so that it need not be searched for: it can be
 * read from what was asked and answered, and when.
 */
import type { OrderId } from '#core/model/ids.ts';

/** One operation as its caller saw it; instants are places in the order of all that happened. */
export type Operation = WriteOperation | ReadOperation;

interface Seen {
  readonly orderId: OrderId;
  readonly askedAt: number;
  /** Null while, or because, no answer came: the caller died, or was told of a failure. */
  answeredAt: number | null;
}
interface WriteOperation extends Seen {
  readonly kind: 'write';
  /** The revision that is written, and by which write. */
  readonly revision: number;
  readonly writeId: string;
  won: boolean | null;
}
interface ReadOperation extends Seen {
  readonly kind: 'read';
  /** 0: there was none. */
  revision: number | null;
}

/** Writes operations down as they are asked; the functions it gives are told the answer. */
export interface OperationLog {
  readonly operations: readonly Operation[];
  write(orderId: OrderId, revision: number, writeId: string): (won: boolean) => void;
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
    write(orderId, revision, writeId) {
      const asked = { kind: 'write', orderId, revision, writeId, askedAt: next() } as const;
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

/** What contradicts every order of the operations on one record, in words; null when nothing does. */
export function contradictionIn(operations: readonly Operation[]): string | null {
  const writers = new Map<number, string>();
  const firstAsked = new Map<number, number>();
  for (const one of operations) {
    if (one.kind !== 'write') continue;
    const { revision, writeId, won, askedAt } = one;
    firstAsked.set(revision, Math.min(askedAt, firstAsked.get(revision) ?? askedAt));
    if (won !== true) continue;
    const other = writers.get(revision);
    if (other !== undefined && other !== writeId) return `two writes won revision ${revision}`;
    writers.set(revision, writeId);
  }

  // By when a revision was certainly there: no later operation may see less.
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
    if (revision < since) return `revision ${revision} was read after ${since} was there`;
    const asked = firstAsked.get(revision) ?? Number.POSITIVE_INFINITY;
    return revision > 0 && asked > answeredAt
      ? `revision ${revision} was read before anybody wrote it`
      : null;
  }

  function mislaid({ revision, writeId, won, answeredAt }: WriteOperation, since: number) {
    if (won === true && since > revision && writers.get(revision) !== writeId) {
      return `revision ${revision} was won after ${since} was there`;
    }
    if (won !== false || answeredAt === null || revision === 1) return null;
    const isOwn = writers.get(revision) === writeId;
    const rival = operations.some(
      (one) =>
        one.kind === 'write' &&
        one.writeId !== writeId &&
        one.askedAt < answeredAt &&
        one.revision >= revision + (isOwn ? 1 : 0),
    );
    if (rival) return null;
    if (isOwn) return `revision ${revision} was refused to the one that won it`;
    return since === revision - 1
      ? `revision ${revision} was refused, and nobody else wrote`
      : null;
  }
}
