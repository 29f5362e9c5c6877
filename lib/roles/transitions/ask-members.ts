/**
 * Asks the gates for the requests of one decision. A step of a pool asks one member after the other, until the gate of one
 * lets its call through; so calls go to members that are well and have room.
 */

import { isBound, memberOrder, membersFor } from '#core/decide/choose-agent.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { Hold } from '#core/model/hold.ts';
import type { AgentName, StepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { CallSlots, Request } from '#core/model/message.ts';
import { findStep, type ProcessRecord, type StepRecord } from '#core/model/record.ts';
import type { Clock } from '#ports/clock.ts';
import { type GateAnswer, type GateAnswers, type Gates, isHold } from '#ports/gates.ts';
import type { Random } from '#ports/random.ts';

/** What the gates said of each request. */
export interface Answered {
  /** To the agent that may get the request; for a step that is held, to the last one that was asked. */
  readonly requests: readonly Request[];
  readonly answers: GateAnswers;
}

/** The ports of {@link askMembers}. */
export interface AskPorts {
  readonly gates: Gates;
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Random;
}

/**
 * One answer per request, in the same order. Only gates that read something give a promise.
 *
 * @param record before the decision that has the requests
 * @param decided the record of that decision
 */
export function askMembers(
  ports: AskPorts,
  { record, decided }: { readonly record: ProcessRecord; readonly decided: ProcessRecord },
  definition: WorkflowDefinition,
  requests: readonly Request[],
): Answered | Promise<Answered> {
  const asked = requests.map((request) => {
    const step = askedStep(record, decided, request.step);
    return isHeldBack(definition, step, request)
      ? drained(request, ports.clock.now())
      : asking(request, orderOf(ports, step, definition, request));
  });

  function next(): Answered | Promise<Answered> {
    const open = asked.filter((one) => one.isOpen());
    if (open.length === 0) {
      return {
        requests: asked.map((one) => one.request()),
        answers: asked.map((one) => one.answer()),
      };
    }
    const requestsNow = open.map((one) => one.request());
    const answers = ports.gates.ask(requestsNow, record.isHeld === true);
    return answers instanceof Promise ? answers.then(take) : take(answers);

    function take(late: GateAnswers): Answered | Promise<Answered> {
      for (const [at, one] of open.entries()) one.answered(late[at] ?? null);
      return next();
    }
  }

  return next();
}

/** The step before its call. The decision itself may have ended its doubt: it was undone, and starts anew. */
function askedStep(
  record: ProcessRecord,
  decided: ProcessRecord,
  name: StepName,
): StepRecord | undefined {
  const before = findStep(record, name);
  const after = findStep(decided, name);
  if (before === undefined || after?.undoFirst === undefined) return before;
  if (after.keyGeneration === before.keyGeneration) return before;
  return { ...before, doubtUntil: null, undoFirst: after.undoFirst };
}

/** The members that may get the request, in the order in which they are asked; its own agent for a single one. */
function orderOf(
  { gates, random }: AskPorts,
  step: StepRecord | undefined,
  { steps }: WorkflowDefinition,
  { step: name, agent, action }: Request,
): readonly AgentName[] {
  const pool = steps.find((one) => one.name === name)?.pool;
  if (pool === undefined || step === undefined) return [agent];
  const members = memberOrder(membersFor(pool, step, action), step, () => random.next());
  if (isBound(step, action)) return members;
  const available = members.filter((member) => gates.isAvailable?.(member) !== false);
  return available.length === 0 ? members : available;
}

/** Whether operators let no agent have the request. A step that is bound to a domain goes there all the same (R25). */
function isHeldBack(
  { steps }: WorkflowDefinition,
  step: StepRecord | undefined,
  { step: name, action }: Request,
): boolean {
  const defined = steps.find((one) => one.name === name);
  if (defined?.pool === undefined) return defined?.isDrained === true;
  if (step === undefined || isBound(step, action)) return false;
  return defined.pool.every(({ weight }) => weight === 0);
}

/** One request while the gates are asked for it. */
interface Asked {
  isOpen(): boolean;
  request(): Request;
  answer(): GateAnswer;
  answered(answer: GateAnswer): void;
}

/** A request that no agent may have: it asks none. */
const drained = (request: Request, nowMs: number): Asked => ({
  isOpen: () => false,
  request: () => request,
  answer: () => ({ gate: 'drained', until: nowMs + limits.holdLookMaxMs }),
  answered() {},
});

/** A request that asks one agent after the other. */
function asking(original: Request, agents: readonly AgentName[]): Asked {
  const toAgent = (agent: AgentName | undefined): Request =>
    agent === undefined || agent === original.agent ? original : { ...original, agent };
  let at = 0;
  let current = toAgent(agents[0]);
  /** Undefined: no gate lets it through. */
  let granted: CallSlots | null | undefined;
  let held: Hold | null = null;
  return {
    isOpen: () => granted === undefined && at < agents.length,
    request: () => current,
    answer: (): GateAnswer => (granted === undefined ? held : granted),
    answered(answer: GateAnswer) {
      if (answer === null || !isHold(answer)) {
        granted = answer;
        return;
      }
      // A member that only has too many calls is what the step waits for, rather than one that fails.
      if (held === null || (held.gate === 'circuit' && answer.gate === 'concurrency'))
        held = answer;
      at += 1;
      if (at < agents.length) current = toAgent(agents[at]);
    },
  };
}
