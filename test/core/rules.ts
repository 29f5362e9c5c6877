/** Applies the checkers, and rules that need `decide` itself, to every decision; throws on a violation. */
import { attemptChecker } from '#checkers/attempt-checker.ts';
import { doubtChecker } from '#checkers/doubt-checker.ts';
import { checkSize, checkStored } from '#checkers/end-checker.ts';
import { checkCommands, sendChecker } from '#checkers/send-checker.ts';
import type { Breach, Violation } from '#checkers/violation.ts';
import { checkWrite } from '#checkers/write-checker.ts';
import { textBytes } from '#core/codec/json-size.ts';
import { statusCodec } from '#core/codec/messages/change-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import { decide } from '#core/decide/decide.ts';
import { dueAt } from '#core/decide/due.ts';
import { changeOf } from '#core/model/change.ts';
import { limits } from '#core/model/limits.ts';
import type { Request } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Observed, Observer } from './world.ts';

interface Decided extends Observed {
  readonly after: ProcessRecord;
  readonly requests: readonly Request[];
}

/** Checks every decision that changes the record, written or not. */
const ofChanges =
  (rule: (seen: Decided) => void): Observer =>
  (seen) => {
    if (seen.decision.kind === 'ignored') return;
    const { record: after, commands } = seen.decision;
    const requests = commands.flatMap((command) =>
      command.kind === 'request' ? [command.request] : [],
    );
    rule({ ...seen, after, requests });
  };

const breach: Breach = (rule, message) => {
  throw new Error(`${rule}: ${message}`);
};

const tell = (violation: Violation | null | undefined) => {
  if (violation) breach(violation.rule, violation.message);
};

/** Every write, whether it was committed or lost to another: what each must be by itself. */
export const writes = (): Observer =>
  ofChanges(({ before, after, event, definition, nowMs: at, decision }) => {
    const agent = 'agent' in event ? event.agent : null;
    const write = { before, after, definition, at, agent, due: dueAt(after) };
    tell(checkWrite(write)[0]);
    if (decision.kind === 'transition') tell(checkCommands(write, decision.commands)[0]);
  });

/** Every record, as a store reads it back. */
export const storedAsItIs = (): Observer => ofChanges(({ after }) => tell(checkStored(after)));

/** Every write that was committed: what one after the other must be. */
export function lives(): Observer {
  const world = { name: 'world' };
  const sends = sendChecker(breach, () => null);
  const checkers = [sends.wrote, doubtChecker(breach), attemptChecker(breach)];
  return ofChanges(({ before, after, committed, decision, requests }) => {
    if (!committed || decision.kind === 'ignored') return;
    for (const check of checkers) check({ before, after, by: world.name });
    sends.requesting(requests, world);
    sends.nudging(
      decision.commands.flatMap((command) => (command.kind === 'nudge' ? [command.nudge] : [])),
      world,
    );
    sends.idle(world);
  });
}

/** The same event, decided again on what it made of the record, counts no failure. */
export const failuresCountOnce = (): Observer =>
  ofChanges(({ before, after, event, nowMs }) => {
    if (after.failureCount === before.failureCount) return;
    const again = decide(after, event, null, nowMs);
    if (again.kind === 'ignored' || again.record.failureCount === after.failureCount) return;
    breach('R11', 'the next sweep counted it again');
  });

/** Neither the record nor a message of it is larger than its bound. */
export const sizesAreBounded = (): Observer =>
  ofChanges(({ after, requests }) => {
    tell(checkSize(after));
    const change = changeOf(null, after);
    const status = change === null ? 0 : textBytes(statusCodec.encode(change));
    const largest = Math.max(
      16 * status,
      ...requests.map((request) => textBytes(requestCodec.encode(request))),
    );
    if (largest > limits.messageBytesMax)
      breach('R14', 'a request or a status message is too large');
  });
