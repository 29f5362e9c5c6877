/** One decision about an order whose agents have gates that let a call through or hold its step. */
import { type Decision, decide } from '#core/decide/decide.ts';
import { unlessStillHeld, waitsForDoubt, waitsForGates } from '#core/decide/settle-holds.ts';
import type { OrderContext } from '#core/decide/start-step.ts';
import type { RecordEvent } from '#core/model/event.ts';
import type { Hold } from '#core/model/hold.ts';
import type { StepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Command, Request } from '#core/model/message.ts';
import { mayWaitForTurn, type ProcessRecord, waitsForAgent } from '#core/model/record.ts';
import type { Clock } from '#ports/clock.ts';
import { type GateAnswer, type Gates, hasSlots, isHold, slotsLastMs } from '#ports/gates.ts';
import type { Random } from '#ports/random.ts';
import type { StateStore } from '#ports/state-store.ts';
import { hasTurn } from '../singleton/has-turn.ts';
import { type Answered, askMembers } from './ask-members.ts';

/** Slots that came too late, or were not asked for, are asked for again after this, ms. */
const askAgainMs = 1_000;

/** The ports of {@link decideGated}. */
export interface GatePorts {
  /** Says whether the turn of an order with a singleton key has come. */
  readonly store: Pick<StateStore, 'line' | 'records'>;
  readonly gates?: Gates;
  readonly clock: Clock;
  readonly random: Random;
}

/** `nowMs`: the instant of the decision, ms since the epoch. */
type DecidedAt = Pick<GatedDecision, 'decision' | 'nowMs'>;

/** A decision, and the slots that it has of the agents. */
export interface GatedDecision {
  readonly decision: Decision;
  /** The instant of the decision, ms since the epoch. */
  readonly nowMs: number;
  /** With what the gates said. */
  readonly known: OrderContext | null;
  /** The requests that have slots of their agents. */
  readonly granted: readonly Request[];
  /** It was decided again, because a gate holds a step or another agent has it: then not all of them may be sent. */
  readonly isAgain?: true;
}

/**
 * Decides twice where a gate holds a call: the first decision says which requests it would send. Gates that let all of
 * them start now change nothing.
 */
export function decideGated(
  ports: GatePorts,
  record: ProcessRecord,
  event: RecordEvent,
  known: OrderContext | null,
): GatedDecision | Promise<GatedDecision> {
  const nowMs = ports.clock.now();
  const decision = decide(record, event, known, nowMs);
  if (known === null || decision.kind === 'ignored')
    return { decision, nowMs, known, granted: none };
  if (mayWaitForTurn(record)) {
    return askTurn(ports, record, event, known, { decision, nowMs });
  }
  return askGates(ports, record, event, known, { decision, nowMs });
}

/** Orders that wait for others of their singleton key hold their first steps. */
async function askTurn(
  ports: GatePorts,
  record: ProcessRecord,
  event: RecordEvent,
  known: OrderContext,
  first: DecidedAt,
): Promise<GatedDecision> {
  const { clock, store } = ports;
  const asks =
    first.decision.kind === 'transition' && requestsOf(first.decision.commands).length > 0;
  if (!asks) return { ...first, known, granted: none };
  const isTurn = await hasTurn(store, record);
  const nowMs = clock.now();
  const decision = decide(record, event, known, nowMs);
  if (isTurn) return askGates(ports, record, event, known, { decision, nowMs });
  const requests = decision.kind === 'ignored' ? none : requestsOf(decision.commands);
  const hold: Hold = { gate: 'turn', until: nowMs + limits.holdLookMaxMs };
  const asked = { decision, nowMs, known, granted: requests, learns: false };
  return decidedAgain(record, event, asked, { requests, answers: requests.map(() => hold) });
}

function askGates(
  { gates, clock, random }: GatePorts,
  record: ProcessRecord,
  event: RecordEvent,
  known: OrderContext,
  { decision, nowMs }: DecidedAt,
): GatedDecision | Promise<GatedDecision> {
  if (gates === undefined || decision.kind === 'ignored')
    return { decision, nowMs, known, granted: none };
  const requests = requestsOf(decision.commands);
  if (requests.length === 0) return { decision, nowMs, known, granted: none };
  const learns = gates.nudgeHeld === true;
  const asked = { decision, nowMs, known, granted: requests, learns };
  if (known.definition.hasPools || known.definition.hasDrained) {
    const records = { record, decided: decision.record };
    const answered = askMembers({ gates, clock, random }, records, known.definition, requests);
    return answered instanceof Promise
      ? answered.then((late) => decidedLater(gates, record, event, asked, late, clock.now()))
      : decidedAgain(record, event, asked, answered);
  }
  const answers = gates.ask(requests, record.isHeld === true);
  return answers instanceof Promise
    ? answers.then((late) =>
        decidedLater(gates, record, event, asked, { requests, answers: late }, clock.now()),
      )
    : decidedAgain(record, event, asked, { requests, answers });
}

/** A decision before its gates were asked. `granted`: all of its requests. */
interface AskedDecision extends GatedDecision {
  readonly known: OrderContext;
  /** The gates learn from the written records which steps wait: then a hold is written even where nothing else changed. */
  readonly learns: boolean;
}

function decidedAgain(
  record: ProcessRecord,
  event: RecordEvent,
  asked: AskedDecision,
  { requests, answers }: Answered,
): GatedDecision {
  const { nowMs, known, granted: planned, learns } = asked;
  const isAsPlanned = requests.every((request, at) => request.agent === planned[at]?.agent);
  if (isAsPlanned && answers.every((answer) => answer === null)) return asked;
  const granted = requests.flatMap((request, at) => grantedAs(request, answers[at] ?? null));
  const byStep = requests.flatMap(({ step }, at): [StepName, Hold][] => {
    const answer = answers[at] ?? null;
    return isHold(answer) ? [[step, answer]] : [];
  });
  const gated = {
    ...known,
    holds: new Map(byStep),
    ...(known.definition.hasPools && {
      agents: new Map(requests.map(({ step, agent }) => [step, agent])),
    }),
  };
  const again = decide(record, event, gated, nowMs);
  const worthWriting = learns ? again : unlessStillHeld(record, again, nowMs);
  return {
    decision: withGranted(worthWriting, granted),
    nowMs,
    known: gated,
    granted,
    isAgain: true,
  };
}

/** The request as it is sent; none where the step is held. The gates know one without limits by its identity. */
function grantedAs(request: Request, answer: GateAnswer): readonly Request[] {
  if (answer === null) return [request];
  if (isHold(answer)) return none;
  return [{ ...request, ...answer }];
}

/** What was read took time, which is not charged to the deadlines of the steps. */
function decidedLater(
  gates: Gates,
  record: ProcessRecord,
  event: RecordEvent,
  asked: AskedDecision,
  { requests, answers }: Answered,
  nowMs: number,
): GatedDecision {
  const decision = decide(record, event, asked.known, nowMs);
  const planned = decision.kind === 'ignored' ? none : requestsOf(decision.commands);
  const places = planned.map(({ step }) => requests.findIndex((request) => request.step === step));
  const isLate = nowMs - asked.nowMs > slotsLastMs;
  const kept = requests.map((request, at): GateAnswer => {
    const answer = answers[at] ?? null;
    if (!hasSlots(answer) || !isLate) return answer;
    gates.release(grantedAs(request, answer));
    return { gate: 'limit', until: nowMs + askAgainMs };
  });
  const notAsked: Hold = { gate: 'limit', until: nowMs + askAgainMs };
  const dropped = requests.flatMap((request, at) =>
    places.includes(at) ? none : grantedAs(request, kept[at] ?? null),
  );
  if (dropped.length > 0) gates.release(dropped);
  const late = {
    requests: planned.map((request, at) => {
      const { agent } = requests[places[at] ?? -1] ?? request;
      return agent === request.agent ? request : { ...request, agent };
    }),
    // What was not planned before, because a doubt about it had not ended, was not asked for.
    answers: places.map((place): GateAnswer => (place === -1 ? notAsked : (kept[place] ?? null))),
  };
  return decidedAgain(record, event, { ...asked, decision, nowMs, granted: planned }, late);
}

/** The gates know the granted requests of the first decision, so these are sent instead of their equals of a later one. */
export function withGranted(decision: Decision, granted: readonly Request[]): Decision {
  if (decision.kind === 'ignored') return decision;
  const commands = decision.commands.map((command): Command => {
    if (command.kind !== 'request') return command;
    const request = granted.find(({ step }) => step === command.request.step);
    return request === undefined ? command : { kind: 'request', request };
  });
  return { ...decision, commands };
}

/** Gives back the slots of the granted requests that are not among the commands. */
export function releaseUnsent(
  gates: Gates | undefined,
  granted: readonly Request[],
  commands: readonly Command[],
): void {
  if (gates === undefined || granted.length === 0) return;
  const sent = new Set(requestsOf(commands));
  const unsent = granted.filter((request) => !sent.has(request));
  if (unsent.length > 0) gates.release(unsent);
}

/** All commands, without the delayed nudge of an order that the gates nudge themselves. */
export function worthSending(
  gates: Gates | undefined,
  record: ProcessRecord,
  commands: readonly Command[],
): readonly Command[] {
  if (gates?.nudgeHeld !== true || record.isHeld === undefined) return commands;
  // No gate nudges an order whose turn has not come.
  const areNudged = record.steps.every(
    ({ progress }) => progress.state !== 'Held' || waitsForAgent(progress),
  );
  return areNudged && waitsForGates(record) && !waitsForDoubt(record)
    ? commands.filter((command) => command.kind !== 'nudge' || command.nudge.at === undefined)
    : commands;
}

const none: readonly Request[] = [];

function requestsOf(commands: readonly Command[]): readonly Request[] {
  const requests: Request[] = [];
  for (const command of commands) if (command.kind === 'request') requests.push(command.request);
  return requests;
}
