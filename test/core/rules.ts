/** The checkers: each judges one decision by one rule of the design, and throws where it is broken. */
import { isDeepStrictEqual } from 'node:util';
import { changeOf } from '#core/change.ts';
import { decide } from '#core/decide.ts';
import type { StepName } from '#core/ids.ts';
import { textBytes } from '#core/json-size.ts';
import { limits } from '#core/limits.ts';
import type { Request } from '#core/message.ts';
import { requestCodec, statusCodec } from '#core/message-codec.ts';
import { findStep, type ProcessRecord, type StepRecord, underWay } from '#core/record.ts';
import { decodeRecord, encodeRecord } from '#core/record-codec.ts';
import { recordBytes } from '#core/record-size.ts';
import type { WorkflowDefinition } from '#core/workflow-definition.ts';
import { judgeWrite } from '#sim/rules-of-writes.ts';
import type { Observed } from './world.ts';

type Rule = (seen: Transition) => void;
export interface Transition extends Observed {
  readonly after: ProcessRecord;
  readonly requests: readonly Request[];
}

function must(condition: boolean, problem: string): asserts condition {
  if (!condition) throw new Error(problem);
}

/** Judges whatever changes the record, written or not. */
export const judge = (rule: Rule) => (seen: Observed) => {
  if (seen.decision.kind === 'ignored') return;
  const { record: after, commands } = seen.decision;
  const requests = commands.flatMap((command) =>
    command.kind === 'request' ? [command.request] : [],
  );
  rule({ ...seen, after, requests });
};

const stepOf = (record: ProcessRecord, name: StepName): StepRecord => {
  const step = findStep(record, name);
  must(step !== undefined, `the order has a step ${name}`);
  return step;
};

/** What the step gave, whatever happened to it since; null when it was never Completed. */
function given({ progress }: StepRecord): { readonly output: unknown } | null {
  const then = 'before' in progress ? progress.before : progress;
  return then.state === 'Completed' ? { output: then.output } : null;
}

const isSettled = ({ progress }: StepRecord) =>
  progress.state === 'Completed' || progress.state === 'Skipped';

const offersUndo = (definition: WorkflowDefinition, name: StepName) =>
  definition.steps.find((step) => step.name === name)?.undo === 'offered';

/** Has an effect that an undo would have to take back, or may have one. */
function hasEffect(definition: WorkflowDefinition, step: StepRecord): boolean {
  if (!offersUndo(definition, step.name) || step.progress.state === 'Undone') return false;
  return step.progress.state === 'Completed' || step.doubtUntil !== null || underWay(step.progress);
}

/** All that come after the step, however far. */
function dependents(definition: WorkflowDefinition, name: StepName): ReadonlySet<StepName> {
  const found = new Set<StepName>();
  for (const at of definition.order) {
    const step = definition.steps[at];
    if (step?.after.some((before) => before === name || found.has(before))) found.add(step.name);
  }
  return found;
}

/** What the simulator demands of every write (lib/sim/rules-of-writes.ts), here of every decision. */
export const asTheSimulatorDemands: Rule = ({ before, after, definition }) => {
  judgeWrite(before, after, definition, (rule, what) => must(false, `${rule}: ${what}`));
};

export const startsOnce: Rule = ({ requests, sent, committed }) => {
  if (!committed) return;
  for (const { step, attempt } of requests) {
    const again = sent.some((one) => one.step === step && one.attempt === attempt);
    must(!again, `attempt ${attempt} of ${step} started twice`);
  }
};

export const startsWhenReady: Rule = ({ after, definition, requests }) => {
  for (const { action, step } of requests) {
    if (action !== 'perform') continue;
    must(after.direction === 'forward', `${step} started in an order that turns back`);
    const { after: names } = definition.steps.find(({ name }) => name === step) ?? { after: [] };
    for (const name of names) {
      must(isSettled(stepOf(after, name)), `${step} started before ${name} was done`);
    }
  }
};

export const completedOnce: Rule = ({ before, after, requests }) => {
  for (const step of before.steps) {
    const was = given(step);
    if (was === null) continue;
    const is = given(stepOf(after, step.name));
    must(is !== null && isDeepStrictEqual(is, was), `${step.name} lost what it gave`);
    const again = requests.some((one) => one.step === step.name && one.action === 'perform');
    must(!again, `${step.name} is performed again`);
  }
};

export const repliesAreFenced: Rule = ({ before, event, nowMs }) => {
  if (!('attempt' in event)) return;
  const { attempt, agent, progress } = stepOf(before, event.step);
  must(attempt === event.attempt, 'a reply for another attempt counted');
  must(agent === event.agent, "another agent's reply counted");
  must(underWay(progress) && nowMs <= progress.completeBy, 'a late reply counted');
};

export const keysAndAttempts: Rule = ({ before, after, event, requests, sent, committed }) => {
  for (const request of requests) {
    const { orderId, step: name, action, attempt, idempotencyKey, performKey } = request;
    const step = stepOf(after, name);
    const generation = step.keyGeneration === 1 ? '' : `#${step.keyGeneration}`;
    must(performKey === `${orderId}/${name}${generation}`, 'the perform has another key');
    const key = action === 'undo' ? `${orderId}/${name}/undo` : performKey;
    must(idempotencyKey === key, 'the try has another key');
    must(attempt === stepOf(before, name).attempt + 1, 'attempts are not counted by one');
    const earlier = committed && sent.some((one) => one.step === name && one.attempt >= attempt);
    must(!earlier, 'an attempt number came twice');
  }
  for (const step of before.steps) {
    const more = stepOf(after, step.name).keyGeneration - step.keyGeneration;
    if (more === 0) continue;
    const { progress } = step;
    must(more === 1 && event.type === 'resubmit', 'a new key without a resubmit');
    must(
      progress.state === 'Failed' && progress.fault.effect === 'none' && step.doubtUntil === null,
      'a new key though the old one may have had an effect',
    );
  }
};

export const everythingIsUndone: Rule = ({ after, definition, requests, nowMs }) => {
  if (after.processState === 'Undone') {
    for (const step of after.steps) {
      must(!hasEffect(definition, step), `Undone, and ${step.name} is not`);
      const taken = step.policy.irreversible && given(step) !== null;
      must(!taken, `Undone, and ${step.name} is irreversible`);
    }
  }
  for (const { action, step: name } of requests) {
    if (action !== 'undo') continue;
    must(after.direction === 'undo', 'an undo in an order that goes forward');
    must(offersUndo(definition, name), `${name} offers no undo`);
    const { doubtUntil } = stepOf(after, name);
    must(doubtUntil === null || doubtUntil < nowMs, `the undo of ${name} started too early`);
    for (const later of dependents(definition, name)) {
      must(!hasEffect(definition, stepOf(after, later)), `${name} is undone before ${later}`);
    }
    const isDraining = after.steps.some((step) => step.progress.state === 'Running');
    must(!isDraining, 'an undo started while a step was running');
  }
};

export const failuresCountOnce: Rule = ({ before, after, event, nowMs }) => {
  if (after.failureCount === before.failureCount) return;
  const again = decide(after, event, null, nowMs);
  if (again.kind === 'ignored') return;
  must(again.record.failureCount === after.failureCount, 'the next sweep counted it again');
};

export const durableBeforeSent: Rule = ({ before, after, requests }) => {
  for (const request of requests) {
    const { attempt, progress } = stepOf(after, request.step);
    must(attempt === request.attempt, 'a request for an attempt that is not in the record');
    must(progress.state === (request.action === 'undo' ? 'Undoing' : 'Running'), 'not under way');
    must(underWay(progress) && progress.completeBy === request.completeBy, 'another complete-by');
    must(progress.endBy === request.endBy, 'another end');
  }
  for (const step of before.steps) {
    const dispatched = stepOf(after, step.name).attempt - step.attempt;
    const asked = requests.filter((one) => one.step === step.name).length;
    must(dispatched === asked, `${asked} requests for ${dispatched} attempts of ${step.name}`);
  }
};

const isOperator = (type: string) => type === 'resubmit' || type === 'cancel';

export const dated: Rule = ({ after, nowMs }) => {
  must(after.updatedAt === nowMs, 'not dated');
};

export const sizesAreBounded: Rule = ({ after, requests }) => {
  const bytes = recordBytes(after);
  must(bytes <= limits.recordBytesMax, `the record has ${bytes} bytes`);
  for (const request of requests) {
    const length = textBytes(requestCodec.encode(request));
    must(length <= limits.messageBytesMax, `the request has ${length} bytes`);
  }
  const change = changeOf(null, after);
  const length = change === null ? 0 : textBytes(statusCodec.encode(change));
  must(length <= limits.messageBytesMax / 16, `the status message has ${length} bytes`);
};

export const storedAsItIs: Rule = ({ after }) => {
  const stored: unknown = JSON.parse(JSON.stringify(encodeRecord(after)));
  must(isDeepStrictEqual(decodeRecord(stored), after), 'read back as something else');
};

/** Attempts since the last operator: two times the policy's, and one for each that was forgiven. */
export function attemptsAreBounded(): Rule {
  const used = new Map<StepName, number>();
  return ({ before, after, event, requests, committed }) => {
    if (!committed) return;
    if (isOperator(event.type)) used.clear();
    if (event.type === 'excused' || after.failureCount === before.failureCount) {
      for (const { name, progress } of before.steps) {
        const forgiven = underWay(progress) && !underWay(stepOf(after, name).progress);
        if (forgiven) used.set(name, (used.get(name) ?? 0) - 1);
      }
    }
    for (const { step: name } of requests) {
      const { policy } = stepOf(after, name);
      const attempts = (used.get(name) ?? 0) + 1;
      used.set(name, attempts);
      const allowed = 2 * (policy.retries + 1) * (policy.coolDownTimes + 1);
      must(attempts <= allowed, `${attempts} attempts of ${name}, where ${allowed} are allowed`);
    }
  };
}
