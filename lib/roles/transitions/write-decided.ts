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

/** Gives back the slots of requests that are not to be sent. */
export async function writeDecided(
  ports: WritePorts,
  { decisions }: DecidedTogether,
): Promise<Written> {
  const [first, ...others] = decisions;
  const all = others.length === 0 ? first.decision : combined(decisions);
  let commands: readonly Command[] = [];
  try {
    const written = await writeOrShorten(ports, all, first, others.length > 0);
    if (written.kind === 'committed') ({ commands } = written);
    return written;
  } finally {
    for (const { granted, isHeld } of decisions) {
      // A record in its shortest form may send fewer requests than were granted.
      const mayDiffer = isHeld === true || commands !== all.commands;
      if (granted.length > 0 && mayDiffer) releaseUnsent(ports.gates, granted, commands);
    }
  }
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
async function writeOrShorten(
  ports: WritePorts,
  all: ToWrite,
  first: Decided,
  isSeveral: boolean,
): Promise<Written> {
  const { before, event, known, nowMs, granted } = first;
  try {
    return await write(ports, all, before);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    if (isSeveral) return { kind: 'refused' };
    // At the same instant, because the granted requests have the deadlines of that decision.
    const short = withGranted(decideShortened(before, event, known, nowMs), granted);
    ports.log.warn('order-refused', { orderId: before.orderId, code: error.code });
    return short.kind === 'ignored' ? short : unlessUnwritable(ports, short, before);
  }
}

async function unlessUnwritable(
  ports: WritePorts,
  short: Transition,
  before: ProcessRecord,
): Promise<Written> {
  try {
    return await write(ports, short, before);
  } catch (error) {
    if (error instanceof RefusedError) {
      ports.log.error('order-unwritable', { orderId: before.orderId, code: error.code });
    }
    throw error;
  }
}

/** Repeats the write once when its answer was lost: the store recognises the write by its id (R12). */
async function write(
  { store, ids }: WritePorts,
  { record, commands }: ToWrite,
  { revision }: ProcessRecord,
): Promise<Written> {
  const next = { ...record, writeId: ids.writeId() };
  let outcome: 'committed' | 'conflict';
  try {
    outcome = await store.commit(next, revision);
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    outcome = await store.commit(next, revision);
  }
  return outcome === 'conflict' ? { kind: outcome } : { kind: outcome, record: next, commands };
}
