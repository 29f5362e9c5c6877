/** What must hold of every command that follows a write: by whom it is sent, after what, and with which key. */
import type { OrderId, StepName } from '#core/model/ids.ts';
import type { Command, Nudge, Request } from '#core/model/message.ts';
import { findStep, type ProcessRecord, underWay } from '#core/model/record.ts';
import { dispatchedIn, type RecordPair } from './transition.ts';
import type { Breach, RuleName, Violation } from './violation.ts';

export const attemptOf = (orderId: OrderId, step: StepName, attempt: number) =>
  `${orderId} ${step} ${attempt}`;

type SendRule = (request: Request, after: ProcessRecord) => string | false;

/** R8: all tries of a step carry one key, which only a new generation changes, and all its undos another. */
const carriesItsKey: SendRule = ({ orderId, step, action, idempotencyKey, performKey }, after) => {
  const generation = findStep(after, step)?.keyGeneration ?? 1;
  const own = `${orderId}/${step}${generation > 1 ? `#${generation}` : ''}`;
  if (performKey !== own) return `the perform has the key ${performKey}, not ${own}`;
  const key = action === 'undo' ? `${orderId}/${step}/undo` : own;
  return idempotencyKey !== key && `the try has the key ${idempotencyKey}, not ${key}`;
};

/** R13: a request names an attempt as the durable record has it, with its deadlines. */
const isOfRecord: SendRule = ({ step, attempt, action, completeBy, endBy }, after) => {
  const known = findStep(after, step);
  const state = action === 'undo' ? 'Undoing' : 'Running';
  if (known?.attempt !== attempt || known.progress.state !== state) return 'not in the record';
  if (!underWay(known.progress)) return 'not under way';
  const isSame = known.progress.completeBy === completeBy && known.progress.endBy === endBy;
  return !isSame && 'other deadlines than in the record';
};

const requestRules = [
  ['R8', carriesItsKey],
  ['R13', isOfRecord],
] as const satisfies readonly (readonly [RuleName, SendRule])[];

function* checkRequest(request: Request, after: ProcessRecord): Generator<Violation> {
  const id = attemptOf(request.orderId, request.step, request.attempt);
  for (const [rule, isBroken] of requestRules) {
    const problem = isBroken(request, after);
    if (problem !== false) yield { rule, message: `${id}: ${problem}` };
  }
}

/** R3, R12: the commands of a write are one request for each attempt that it started, and a nudge where it asks for a claim. */
export function checkCommands(
  write: RecordPair,
  commands: readonly Command[],
): readonly Violation[] {
  const violations: Violation[] = [];
  const unsentBy = new Set(toSend(write));
  for (const command of commands) {
    if (command.kind === 'nudge') unsentBy.delete(command.nudge.orderId);
    else {
      const { orderId, step, attempt } = command.request;
      const id = attemptOf(orderId, step, attempt);
      violations.push(...checkRequest(command.request, write.after));
      if (!unsentBy.delete(id)) violations.push({ rule: 'R3', message: `${id} is not to be sent` });
    }
  }
  for (const debt of unsentBy) violations.push({ rule: 'R12', message: `${debt} is not sent` });
  return violations;
}

export interface SentWrite extends RecordPair {
  /** The machine that asked for it. */
  readonly by: string;
}

interface Sender {
  readonly name: string;
}

export type SendChecker = ReturnType<typeof sendChecker>;

/** Follows all orders, and who sends what. */
export function sendChecker(breach: Breach) {
  const writes = new Map<string, SentWrite>();
  const stored = new Set<OrderId>();
  const starts = new Map<string, SentWrite>();
  const unsentBy = new Map<string, Set<string>>();
  const inputs = new Map<string, string>();

  return {
    /** A write was applied, whether or not its writer knows. */
    wrote(write: SentWrite) {
      const { writeId, orderId } = write.after;
      writes.set(writeId, write);
      stored.add(orderId);
      addUnsent(write);
      for (const { name, attempt } of dispatchedIn(write)) startedOnce(write, name, attempt);
    },
    /** R12: what a writer is told to be written was applied. */
    committed({ writeId }: ProcessRecord) {
      if (!writes.has(writeId)) breach('R12', `${writeId} is committed, and was not applied`);
    },
    /** Its writer asked twice, and knows nothing: then it may owe nothing. */
    unknown({ writeId }: ProcessRecord, { name }: Sender) {
      const write = writes.get(writeId);
      for (const debt of write === undefined ? [] : toSend(write)) unsentBy.get(name)?.delete(debt);
    },
    /** R13: a nudge is for an order that is stored. */
    nudging(nudges: readonly Nudge[], { name }: Sender) {
      for (const { orderId } of nudges) {
        unsentBy.get(name)?.delete(orderId);
        if (!stored.has(orderId)) breach('R13', `a nudge for ${orderId}, not stored`);
      }
    },
    /** R3, R13: a request is sent after the write that started its attempt, by whoever wrote it. */
    requesting(requests: readonly Request[], { name }: Sender) {
      for (const request of requests) {
        const { orderId, step, attempt } = request;
        const id = attemptOf(orderId, step, attempt);
        unsentBy.get(name)?.delete(id);
        sameInput(request);
        const start = starts.get(id);
        if (start === undefined) {
          breach('R13', `${id} was sent, and nothing durable names it`);
          continue;
        }
        if (start.by !== name) breach('R3', `${id} was sent by who did not start it`);
        for (const { rule, message } of checkRequest(request, start.after)) breach(rule, message);
      }
    },
    /** A channel did not take what was sent by it. */
    unsent: ({ name }: Sender) => unsentBy.delete(name),
    /** R12: what a write asks for is sent by its writer, whether or not the answer came. */
    idle({ name }: Sender) {
      const [debt] = unsentBy.get(name) ?? [];
      if (debt === undefined) return;
      unsentBy.delete(name);
      breach('R12', `${name} wrote ${debt} and never sent what it asks for`);
    },
  };

  function addUnsent(write: SentWrite): void {
    const debts = unsentBy.get(write.by) ?? new Set();
    for (const debt of toSend(write)) debts.add(debt);
    unsentBy.set(write.by, debts);
  }

  /** R3: no attempt is started twice. */
  function startedOnce(write: SentWrite, step: StepName, attempt: number): void {
    const id = attemptOf(write.after.orderId, step, attempt);
    if (starts.has(id)) breach('R3', `${id} was started twice`);
    starts.set(id, write);
  }

  /** R8: a key is used for one input. */
  function sameInput({ performKey, input }: Request): void {
    const text = JSON.stringify(input);
    const before = inputs.get(performKey) ?? text;
    inputs.set(performKey, before);
    if (before !== text) breach('R8', `${performKey} was asked with ${before}, then ${text}`);
  }
}

/** What the writer must send: requests by their attempts, a nudge by its order. */
function toSend(write: RecordPair): readonly string[] {
  const { orderId } = write.after;
  const attempts = dispatchedIn(write).map(({ name, attempt }) =>
    attemptOf(orderId, name, attempt),
  );
  return asksForClaim(write) ? [...attempts, orderId] : attempts;
}

/** Whether the order may be claimed at once, and because of this write. */
function asksForClaim({ before, after }: RecordPair): boolean {
  if (after.processState !== 'Pending' || after.notBefore > after.updatedAt) return false;
  switch (after.history.at(-1)?.type) {
    case 'submit':
    case 'expired':
    case 'interrupted':
    case 'resubmit':
    case 'cancel':
      return true;
    case 'stepFailed':
      // Where it was Pending before, whoever made it Pending has asked.
      return before?.processState !== 'Pending';
    default:
      return false;
  }
}
