/** Steps as compact JSON: one array a step, one letter a state, instants from the submission. */
import { z } from 'zod';
import { agentName, stepName } from './ids.ts';
import type { JsonValue } from './json.ts';
import {
  effects,
  type Fault,
  type StepPolicy,
  type StepProgress,
  type StepRecord,
  type Undoable,
} from './record.ts';

const faultSchema = z.tuple([z.string(), z.string(), z.enum(effects)]);
const flag = z.union([z.literal(0), z.literal(1)]);

/** Out of `JSON.parse`, so it is JSON; a schema's copy would lose a key such as `__proto__`. */
const output = z.custom<JsonValue>((value) => value !== undefined);

const undoableSchema = z.union([
  z.tuple([z.literal('N')]),
  z.tuple([z.literal('C'), output]),
  z.tuple([z.literal('F'), faultSchema]),
]);
const progressSchema = z.union([
  undoableSchema,
  z.tuple([z.literal('S')]),
  z.tuple([z.literal('R'), z.int(), z.int()]),
  z.tuple([z.literal('U'), z.int(), z.int(), undoableSchema]),
  z.tuple([z.literal('D'), undoableSchema]),
]);
const policySchema = z.tuple([z.int(), z.int(), z.int(), z.int(), z.int(), flag, flag, flag]);
const stepsSchema = z.array(
  z.tuple([
    z.string(),
    z.string(),
    policySchema,
    z.int(),
    z.int(),
    z.int(),
    z.int().nullable(),
    progressSchema,
  ]),
);

type StoredUndoable = z.infer<typeof undoableSchema>;
type StoredProgress = z.infer<typeof progressSchema>;
type StoredPolicy = z.infer<typeof policySchema>;

export function encodeSteps(steps: readonly StepRecord[], epoch: number): string {
  return JSON.stringify(
    steps.map((step) => [
      step.name,
      step.agent,
      encodePolicy(step.policy),
      step.attempt,
      step.failures,
      step.keyGeneration,
      step.doubtUntil === null ? null : step.doubtUntil - epoch,
      encodeProgress(step.progress, epoch),
    ]),
  );
}

/** @throws when the text is not what `encodeSteps` gives */
export function decodeSteps(text: string, epoch: number): StepRecord[] {
  return stepsSchema
    .parse(JSON.parse(text))
    .map(([name, agent, policy, attempt, failures, keyGeneration, doubtUntil, progress]) => ({
      name: stepName(name),
      agent: agentName(agent),
      policy: decodePolicy(policy),
      attempt,
      failures,
      keyGeneration,
      doubtUntil: doubtUntil === null ? null : doubtUntil + epoch,
      progress: decodeProgress(progress, epoch),
    }));
}

function encodePolicy(policy: StepPolicy): StoredPolicy {
  return [
    policy.completeWithinMs,
    policy.maxDurationMs,
    policy.retries,
    policy.coolDownMs,
    policy.coolDownTimes,
    policy.onFault === 'undo' ? 1 : 0,
    policy.onExhausted === 'undo' ? 1 : 0,
    policy.irreversible ? 1 : 0,
  ];
}

function decodePolicy(stored: StoredPolicy): StepPolicy {
  const [completeWithinMs, maxDurationMs, retries, coolDownMs, coolDownTimes, fault, end, oneWay] =
    stored;
  return {
    completeWithinMs,
    maxDurationMs,
    retries,
    coolDownMs,
    coolDownTimes,
    onFault: fault === 1 ? 'undo' : 'hold',
    onExhausted: end === 1 ? 'undo' : 'hold',
    irreversible: oneWay === 1,
  };
}

function encodeProgress(progress: StepProgress, epoch: number): readonly unknown[] {
  switch (progress.state) {
    case 'NotStarted':
      return ['N'];
    case 'Completed':
      return ['C', progress.output];
    case 'Failed':
      return ['F', [progress.fault.code, progress.fault.message, progress.fault.effect]];
    case 'Skipped':
      return ['S'];
    case 'Running':
      return ['R', progress.completeBy - epoch, progress.endBy - epoch];
    case 'Undoing':
      return [
        'U',
        progress.completeBy - epoch,
        progress.endBy - epoch,
        encodeProgress(progress.before, epoch),
      ];
    case 'Undone':
      return ['D', encodeProgress(progress.before, epoch)];
  }
}

function decodeProgress(stored: StoredProgress, epoch: number): StepProgress {
  switch (stored[0]) {
    case 'S':
      return { state: 'Skipped' };
    case 'R':
      return { state: 'Running', completeBy: stored[1] + epoch, endBy: stored[2] + epoch };
    case 'U':
      return {
        state: 'Undoing',
        completeBy: stored[1] + epoch,
        endBy: stored[2] + epoch,
        before: decodeUndoable(stored[3]),
      };
    case 'D':
      return { state: 'Undone', before: decodeUndoable(stored[1]) };
    case 'N':
    case 'C':
    case 'F':
      return decodeUndoable(stored);
  }
}

function decodeUndoable(stored: StoredUndoable): Undoable {
  switch (stored[0]) {
    case 'N':
      return { state: 'NotStarted' };
    case 'C':
      return { state: 'Completed', output: stored[1] };
    case 'F':
      return { state: 'Failed', fault: faultOf(stored[1]) };
  }
}

function faultOf([code, message, effect]: z.infer<typeof faultSchema>): Fault {
  return { code, message, effect };
}
