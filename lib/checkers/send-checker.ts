/** Checks the commands of every write: their sender, their time and their keys. */
import type { OrderId, StepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Command, Nudge, Request } from '#core/model/message.ts';
import { findStep, type ProcessRecord, underWay } from '#core/model/record.ts';
import { inputChecker, type SourceOf } from './input-checker.ts';
import { dispatchedIn, type RecordPair } from './transition.ts';
import type { Breach, RuleName, Violation } from './violation.ts';

/** An id of one attempt. */
export const attemptOf = (orderId: OrderId, step: StepName, attempt: number) =>
  `${orderId} ${step} ${attempt}`;

/** An id of a nudge: one in another class is another message. */
const nudgeId = ({ orderId, priority }: Pick<Nudge, 'orderId' | 'priority'>) =>
  `${orderId} ${priority}`;

type SendRule = (request: Request, after: ProcessRecord) => string | false;

/** R8: all tries of a step have one key per generation, and all tries of its undo another one per generation. */
const carriesItsKey: SendRule = ({ orderId, step, action, idempotencyKey, performKey }, after) => {
  const generation = findStep(after, step)?.keyGeneration ?? 1;
  const own = `${orderId}/${step}${generation > 1 ? `#${generation}` : ''}`;
  if (performKey !== own) return `the perform has the key ${performKey}, not ${own}`;
  const key = action === 'undo' ? `${own}/undo` : own;
  return idempotencyKey !== key && `the try has the key ${idempotencyKey}, not ${key}`;
};

/** R13: a request names an attempt of the durable record, with its deadlines. */
const isOfRecord: SendRule = ({ step, attempt, action, completeBy, endBy }, after) => {
  const known = findStep(after, step);
  const state = action === 'undo' ? 'Undoing' : 'Running';
  if (known?.attempt !== attempt || known.progress.state !== state) return 'not in the record';
  if (!underWay(known.progress)) return 'not under way';
  const isSame = known.progress.completeBy === completeBy && known.progress.endBy === endBy;
  return !isSame && 'other deadlines than in the record';
};

/** R24: a request is served in the class and for the tenant of its order. */
const isOfItsFlow: SendRule = ({ priority, tenant }, after) =>
  (priority !== after.priority || tenant !== after.tenant) &&
  `is ${priority}, and its order ${after.priority}`;

const requestRules = [
  ['R8', carriesItsKey],
  ['R13', isOfRecord],
  ['R24', isOfItsFlow],
] as const satisfies readonly (readonly [RuleName, SendRule])[];

function* checkRequest(request: Request, after: ProcessRecord): Generator<Violation> {
  const id = attemptOf(request.orderId, request.step, request.attempt);
  for (const [rule, isBroken] of requestRules) {
    const problem = isBroken(request, after);
    if (problem !== false) yield { rule, message: `${id}: ${problem}` };
  }
}

/** R3, R12: a write has one request for each attempt that it started, and a nudge when it requires a claim. */
export function checkCommands(
  write: RecordPair,
  commands: readonly Command[],
): readonly Violation[] {
  const violations: Violation[] = [];
  const unsent = new Set(toSend(write));
  for (const command of commands) {
    if (command.kind === 'nudge') unsent.delete(nudgeId(command.nudge));
    else {
      const { orderId, step, attempt } = command.request;
      const id = attemptOf(orderId, step, attempt);
      violations.push(...checkRequest(command.request, write.after));
      if (!unsent.delete(id)) violations.push({ rule: 'R3', message: `${id} is not to be sent` });
    }
  }
  for (const id of unsent) violations.push({ rule: 'R12', message: `${id} is not sent` });
  return violations;
}

/** A write with its writer. */
export interface SentWrite extends RecordPair {
  /** The name of the machine that wrote it. */
  readonly by: string;
}

interface Sender {
  readonly name: string;
}

/** See {@link sendChecker}. */
export type SendChecker = ReturnType<typeof sendChecker>;

/**
 * Checks the messages of all machines for all orders.
 *
 * @param sourceOf see {@link inputChecker}
 */
export function sendChecker(breach: Breach, sourceOf: SourceOf) {
  /** By write id; one per decision. */
  const writes = new Map<string, SentWrite[]>();
  const stored = new Set<OrderId>();
  const starts = new Map<string, SentWrite>();
  const unsentBy = new Map<string, Set<string>>();
  const given = inputChecker(breach, sourceOf);
  /** The waits of all revisions. */
  const waits = new Set<string>();

  return {
    /** The store applied a write, whether or not its writer knows. Call it for each decision of the write. */
    wrote(write: SentWrite) {
      const { writeId, orderId } = write.after;
      writes.set(writeId, [...(writes.get(writeId) ?? []), write]);
      stored.add(orderId);
      for (const wait of waitsOf(write.after)) waits.add(wait);
      // From now on the order is nudged in its new class, by this write or by the gates that it waits for.
      if (isInNewClass(write)) {
        for (const ids of unsentBy.values()) ids.delete(nudgeId(write.before));
      }
      addUnsent(write);
      for (const { name, attempt } of dispatchedIn(write)) startedOnce(write, name, attempt);
    },
    /** R12: the store reports a write as committed only when it was applied. */
    committed({ writeId }: ProcessRecord) {
      if (!writes.has(writeId)) breach('R12', `${writeId} is committed, and was not applied`);
    },
    /** The writer got no response twice, so that it need not send the messages of its write. */
    unknown({ writeId }: ProcessRecord, { name }: Sender) {
      for (const id of (writes.get(writeId) ?? []).flatMap(toSend)) unsentBy.get(name)?.delete(id);
    },
    /** R13: a nudge is for a stored order, and a delayed one for an instant that it waits for, or for one that was held. */
    nudging(nudges: readonly Nudge[], { name }: Sender) {
      for (const { orderId, at, priority } of nudges) {
        unsentBy.get(name)?.delete(nudgeId({ orderId, priority }));
        if (!stored.has(orderId)) breach('R13', `a nudge for ${orderId}, which is not stored`);
        if (at !== undefined && !isAwaited(waits, orderId, at)) {
          breach('R13', `a nudge for ${orderId} at ${at}, which no durable record waits for`);
        }
      }
    },
    /** R3, R13: the writer that started an attempt sends its request, after the write. */
    requesting(requests: readonly Request[], { name }: Sender) {
      for (const request of requests) {
        const { orderId, step, attempt } = request;
        const id = attemptOf(orderId, step, attempt);
        unsentBy.get(name)?.delete(id);
        given.sameInput(request);
        const start = starts.get(id);
        if (start === undefined) {
          breach('R13', `${id} was sent, and no durable record contains it`);
          continue;
        }
        if (start.by !== name) breach('R3', `${id} was sent by a machine that did not start it`);
        for (const { rule, message } of checkRequest(request, start.after)) breach(rule, message);
        given.sent(request, start.after);
      }
    },
    receiving: given.receiving,
    /** The channel did not accept a message of this machine. */
    unsent: ({ name }: Sender) => unsentBy.delete(name),
    /** R12: the writer sends all messages of its write, whether or not it received the response. */
    idle({ name }: Sender) {
      const [id] = unsentBy.get(name) ?? [];
      if (id === undefined) return;
      unsentBy.delete(name);
      breach('R12', `${name} wrote ${id} and never sent its message`);
    },
  };

  function addUnsent(write: SentWrite): void {
    const unsent = unsentBy.get(write.by) ?? new Set();
    for (const id of toSend(write)) unsent.add(id);
    unsentBy.set(write.by, unsent);
  }

  /** R3: no attempt is started twice. */
  function startedOnce(write: SentWrite, step: StepName, attempt: number): void {
    const id = attemptOf(write.after.orderId, step, attempt);
    if (starts.has(id)) breach('R3', `${id} was started twice`);
    starts.set(id, write);
  }
}

const isInNewClass = (write: SentWrite): write is SentWrite & { before: ProcessRecord } =>
  write.before !== null && write.before.priority !== write.after.priority;

/** The messages that the writer must send: requests by their attempts, a nudge by its order and class. */
function toSend(write: RecordPair): readonly string[] {
  const { orderId } = write.after;
  const attempts = dispatchedIn(write).map(({ name, attempt }) =>
    attemptOf(orderId, name, attempt),
  );
  return asksForClaim(write) ? [...attempts, nudgeId(write.after)] : attempts;
}

const heldUntil = ({ steps }: ProcessRecord) =>
  Math.min(...steps.flatMap(({ progress }) => (progress.state === 'Held' ? [progress.until] : [])));

/** What a record waits for. A sweep nudges an order with a held step at instants of its own. */
const waitsOf = ({ orderId, notBefore, isHeld }: ProcessRecord): readonly string[] =>
  isHeld === true ? [orderId, waitOf(orderId, notBefore)] : [waitOf(orderId, notBefore)];

const isAwaited = (waits: ReadonlySet<string>, orderId: OrderId, at: number): boolean =>
  waits.has(orderId) || waits.has(waitOf(orderId, at));

const waitOf = (orderId: OrderId, notBefore: number) => `${orderId} ${notBefore}`;

/** Whether this write made the order claimable, now or at an instant that a message can be delayed to. */
function asksForClaim({ before, after }: RecordPair): boolean {
  if (after.processState !== 'Pending') return false;
  if (after.notBefore - after.updatedAt > limits.messageDelayMaxMs) return false;
  switch (after.history.at(-1)?.type) {
    case 'submit':
    case 'expired':
    case 'interrupted':
    case 'resubmit':
    case 'cancel':
      return true;
    case 'reprioritise':
      // What waits for gates alone is nudged by them.
      return after.notBefore <= after.updatedAt || heldUntil(after) !== after.notBefore;
    case 'stepFailed':
      // If it was Pending before, an earlier write has sent the nudge.
      return before?.processState !== 'Pending';
    default:
      return false;
  }
}
