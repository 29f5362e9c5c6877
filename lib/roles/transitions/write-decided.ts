/** The conditional write of what was decided. */
import { type Decision, decideShortened, type Transition } from '#core/decide/decide.ts';
import { RefusedError, UnavailableError } from '#core/model/errors.ts';
import type { Command } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Gates } from '#ports/gates.ts';
import type { Log } from '#ports/log.ts';
import type { Ids } from '#ports/random.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { Decided, DecidedTogether } from './decide-together.ts';
import { releaseUnsent, withGranted } from './gated-decision.ts';

/** The ports of {@link writeDecided}. */
export interface WritePorts {
  readonly store: StateStore;
  readonly ids: Ids;
  readonly log: Log;
  readonly gates?: Gates;
}

/** The result of a write. `refused`: several decisions together, so that each has to be written separately. */
export type Written =
  | { readonly kind: 'conflict' | 'refused' }
  | Extract<Decision, { kind: 'ignored' }>
  | Committed;

interface Committed {
  readonly kind: 'committed';
  /** As it is stored. */
  readonly record: ProcessRecord;
  /** Of all decisions. */
  readonly commands: readonly Command[];
}

type ToWrite = Pick<Transition, 'record' | 'commands'>;

/**
 * Gives back the slots of requests that are not to be sent. Not an async function: all writes wait here for the disk, and
 * each such function takes memory for it.
 */
export function writeDecided(ports: WritePorts, { decisions }: DecidedTogether): Promise<Written> {
  const [first] = decisions;
  const isSeveral = decisions.length > 1;
  const all = isSeveral ? combined(decisions) : first.decision;
  const next = { ...all.record, writeId: ports.ids.writeId() };
  const giveBack = (written: Written | null) => {
    const commands = written?.kind === 'committed' ? written.commands : [];
    for (const { gated } of decisions) {
      // A record in its shortest form may send fewer requests than were granted.
      const mayDiffer = gated.isAgain === true || commands !== all.commands;
      if (gated.granted.length > 0 && mayDiffer)
        releaseUnsent(ports.gates, gated.granted, commands);
    }
  };
  return commitOrRepeat(ports.store, next, first.before, {
    onWritten(outcome) {
      const written = writtenOf(outcome, next, all.commands);
      giveBack(written);
      return written;
    },
    async onFailed(error) {
      let written: Written | null = null;
      try {
        if (!(error instanceof RefusedError)) throw error;
        written = isSeveral ? { kind: 'refused' } : await writeShortened(ports, first, error);
        return written;
      } finally {
        giveBack(written);
      }
    },
  });
}

function combined(decisions: DecidedTogether['decisions']): ToWrite {
  const commands = decisions.flatMap(({ decision }) => decision.commands);
  const { record } = (decisions.at(-1) ?? decisions[0]).decision;
  return { record, commands };
}

/**
 * A record that the store refuses for good is written in its shortest form: so the order stops with a reason, or
 * continues to be undone, instead of failing at each sweep.
 */
async function writeShortened(
  { store, ids, log }: WritePorts,
  { before, event, gated }: Decided,
  refused: RefusedError,
): Promise<Written> {
  const { orderId } = before;
  // At the same instant, because the granted requests have the deadlines of that decision.
  const shortened = decideShortened(before, event, gated.known, gated.nowMs);
  const short = withGranted(shortened, gated.granted);
  log.warn('order-refused', { orderId, code: refused.code });
  if (short.kind === 'ignored') return short;
  const next = { ...short.record, writeId: ids.writeId() };
  return commitOrRepeat(store, next, before, {
    onWritten: (outcome) => writtenOf(outcome, next, short.commands),
    async onFailed(error) {
      if (error instanceof RefusedError)
        log.error('order-unwritable', { orderId, code: error.code });
      throw error;
    },
  });
}

type Commit = 'committed' | 'conflict';

/** What follows a write. */
interface Follow {
  readonly onWritten: (outcome: Commit) => Written;
  readonly onFailed: (error: unknown) => Promise<Written>;
}

/** Repeats the write once when its answer was lost: the store recognises the write by its id (R12). */
function commitOrRepeat(
  store: StateStore,
  next: ProcessRecord,
  { revision }: ProcessRecord,
  { onWritten, onFailed }: Follow,
): Promise<Written> {
  return store.commit(next, revision).then(onWritten, (error: unknown) => {
    if (error instanceof UnavailableError)
      return store.commit(next, revision).then(onWritten, onFailed);
    return onFailed(error);
  });
}

const writtenOf = (
  outcome: Commit,
  record: ProcessRecord,
  commands: readonly Command[],
): Written => (outcome === 'conflict' ? { kind: outcome } : { kind: outcome, record, commands });
