/**
 * Checks the orders of singleton keys (R29): an order begins a call only when all that were put into the line of its key before it have
 * ended, so that one of them works at a time. Where a later order may replace one that has not begun, it does, and nothing else does.
 */
import type { Breach } from '#checkers/violation.ts';
import type { LineName, OrderId } from '#core/model/ids.ts';
import type { OrderTurn, ProcessRecord } from '#core/model/record.ts';

/** An order of a line, as it was last written. */
interface Placed {
  readonly orderId: OrderId;
  /** Where a later order may replace it: since when it waits for one. */
  readonly since: number | undefined;
  hasBegun: boolean;
  isReplaced: boolean;
  /** It works no more: it has ended, or was replaced before it began. */
  hasEnded: boolean;
  goesForward: boolean;
}

/** The orders of one key. */
interface LineSeen {
  readonly placed: Placed[];
  /** What the last write replaced, and by whom. */
  replaced: { readonly own: Placed; readonly by: string } | null;
}

type KeyedRecord = ProcessRecord & { readonly turn: OrderTurn };

/** How long the orders of a workflow wait for later ones of their key, ms; undefined: they do not. */
export type QuietOf = (
  record: ProcessRecord,
) => { readonly quietMs: number; readonly atMostMs: number } | undefined;

/** Returns the function to call with each record that was written, in the order of the writes. */
export function singletonBreaches(
  breach: Breach,
  quietOf: QuietOf = () => undefined,
): (record: ProcessRecord) => void {
  const lines = new Map<LineName, LineSeen>();
  const report = (problem: string | null): void => {
    if (problem !== null) breach('R29', problem);
  };

  return (record) => {
    if (!isKeyed(record)) return;
    const { turn, processState, revision } = record;
    const line = lines.get(turn.line) ?? { placed: [], replaced: null };
    lines.set(turn.line, line);
    const own = placeIn(line, record);
    const ahead = line.placed.slice(0, line.placed.indexOf(own));
    own.goesForward = record.direction === 'forward';
    if (revision === 1) {
      report(notAlone(line, own));
      report(notInherited(line, own, record));
      report(notInTime(line, record, quietOf(record)));
    }
    if (!own.hasBegun && hasCalled(record)) {
      own.hasBegun = true;
      report(begunEarly(ahead, own));
    }
    report(replacedApart(line, record));
    report(replacedInDisorder(line, own, record));
    own.hasEnded = own.isReplaced || processState === 'Processed' || processState === 'Undone';
    report(notFirst(ahead, own, record));
  };
}

const isKeyed = (record: ProcessRecord): record is KeyedRecord => record.turn !== undefined;

const hasCalled = ({ steps }: ProcessRecord) => steps.some(({ attempt }) => attempt > 0);

function placeIn({ placed }: LineSeen, { orderId, turn: { since } }: KeyedRecord): Placed {
  const known = placed.find((other) => other.orderId === orderId);
  if (known !== undefined) return known;
  const own: Placed = {
    ...{ orderId, since, hasBegun: false, isReplaced: false, hasEnded: false },
    goesForward: true,
  };
  placed.push(own);
  return own;
}

/** Of the orders that later ones may replace, one at most has not begun. */
function notAlone({ placed }: LineSeen, own: Placed): string | null {
  if (own.since === undefined) return null;
  const other = placed.find(
    (each) =>
      each !== own &&
      each.since !== undefined &&
      each.goesForward &&
      !each.hasBegun &&
      !each.hasEnded,
  );
  return other === undefined ? null : `${own.orderId} did not replace ${other.orderId} of its key`;
}

/** The instant from which the latest begin counts: the submission of the first of those that replaced each other. */
const firstOf = ({ replaced }: LineSeen, submittedAt: number) =>
  Math.min(replaced?.own.since ?? submittedAt, submittedAt);

function notInherited(
  line: LineSeen,
  { orderId, since }: Placed,
  { submittedAt }: KeyedRecord,
): string | null {
  const first = firstOf(line, submittedAt);
  if (since === undefined || since === first) return null;
  return `${orderId} waits since ${since}, and the first of its key since ${first}`;
}

/** It begins when it was quiet for long enough, and never later than its workflow says. */
function notInTime(
  line: LineSeen,
  { orderId, submittedAt, notBefore }: KeyedRecord,
  quiet: ReturnType<QuietOf>,
): string | null {
  if (quiet === undefined) return null;
  const latest = firstOf(line, submittedAt) + quiet.atMostMs;
  const begins = Math.max(submittedAt, Math.min(submittedAt + quiet.quietMs, latest));
  return notBefore === begins
    ? null
    : `${orderId} begins at ${notBefore}, and is to begin at ${begins}`;
}

function begunEarly(ahead: readonly Placed[], { orderId, isReplaced }: Placed): string | null {
  if (isReplaced) return `${orderId} was replaced, and has begun`;
  const before = ahead.find(({ hasEnded }) => !hasEnded);
  return before === undefined
    ? null
    : `${orderId} has begun, and ${before.orderId} of its key has not ended`;
}

/** An order is replaced with the write that stores the one that replaces it. */
function replacedApart(line: LineSeen, { orderId, revision }: KeyedRecord): string | null {
  const { replaced } = line;
  line.replaced = null;
  return replaced === null || (replaced.by === `order ${orderId}` && revision === 1)
    ? null
    : `${replaced.own.orderId} was cancelled by ${replaced.by}, which was not stored with it`;
}

/** An order that has begun is not replaced. */
function replacedInDisorder(
  line: LineSeen,
  own: Placed,
  { history, turn }: KeyedRecord,
): string | null {
  const last = history.at(-1);
  if (turn.since === undefined || last?.type !== 'cancel') return null;
  if (!last.by.startsWith('order ')) return null;
  own.isReplaced = true;
  line.replaced = { own, by: last.by };
  return own.hasBegun ? `${own.orderId} has begun, and was cancelled by ${last.by}` : null;
}

/** An order that found the line empty waits for no other: there must be none. */
function notFirst(
  ahead: readonly Placed[],
  { orderId, hasEnded }: Placed,
  record: KeyedRecord,
): string | null {
  if (hasEnded || hasCalled(record) || record.turn.behind !== undefined) return null;
  const live = ahead.find((other) => !other.hasEnded);
  return live === undefined
    ? null
    : `${orderId} waits for no other, and ${live.orderId} of its key has not ended`;
}
