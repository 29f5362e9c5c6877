/**
 * Policies: how often and how long a call is tried. A step has one for its perform, and one for its undo, which is much more
 * patient by default: an undo that is given up leaves an effect behind, and no customer waits for its result.
 */
import type { Extensible } from './extension.ts';
import type { Action } from './ids.ts';
import { limits } from './limits.ts';

/** What happens when a step fails: wait for an operator, or undo the order. */
export const remedies = ['hold', 'undo'] as const;
/** See {@link remedies}. */
export type Remedy = (typeof remedies)[number];

/** How often and how long one action of a step is tried. */
export interface CallPolicy extends Extensible {
  /** Time from dispatch to complete-by, ms. */
  readonly completeWithinMs: number;
  /** Heartbeats move complete-by, but an attempt never lasts longer than this, ms. */
  readonly maxDurationMs: number;
  /** Further attempts after the first one timed out, before a cool-down. */
  readonly retries: number;
  /** The wait before the second round of attempts, ms. */
  readonly coolDownMs: number;
  /** The rounds after the first, each after a cool-down. */
  readonly coolDownTimes: number;
  /** Each cool-down is so many times as long as the one before. Default 1. */
  readonly coolDownFactor?: number;
  /** No cool-down is longer, ms. Default {@link limits.coolDownMaxMs}. */
  readonly coolDownMaxMs?: number;
}

/** A step's policy, copied into the record at submission, so that recovery needs no definition. */
export interface StepPolicy extends CallPolicy {
  /** When the agent reports a permanent fault. */
  readonly onFault: Remedy;
  /** When no attempt and no cool-down is left. */
  readonly onExhausted: Remedy;
  /** Once the step is Completed, the order can only go forward. */
  readonly irreversible: boolean;
  /** How long the step may be held before that counts as a failed round, ms. Default {@link limits.holdMaxMs}. */
  readonly holdMaxMs?: number;
  /** Of its undo. Default {@link usualUndoPolicy}. */
  readonly undo?: CallPolicy;
}

/**
 * The policy of an undo where the policy of its step has none, as in all records of older releases: the deadlines of the
 * step, at most one retry per round, and cool-downs of 10 s, 20 s, 40 s, up to 15 minutes, 24 h 6 min in all.
 */
export function usualUndoPolicy({
  completeWithinMs,
  maxDurationMs,
  retries,
}: Pick<CallPolicy, 'completeWithinMs' | 'maxDurationMs' | 'retries'>): CallPolicy {
  return {
    completeWithinMs,
    maxDurationMs,
    retries: Math.min(retries, limits.undoRetries),
    coolDownMs: limits.undoCoolDownMs,
    coolDownTimes: limits.undoCoolDownTimes,
    coolDownFactor: limits.undoCoolDownFactor,
    coolDownMaxMs: limits.undoCoolDownMaxMs,
  };
}

/** The policy of one action of a step. */
export function callPolicy(policy: StepPolicy, action: Action): CallPolicy {
  return action === 'perform' ? policy : (policy.undo ?? usualUndoPolicy(policy));
}

/** The attempts that a policy allows between two operator events. */
export const attemptsAllowed = ({
  retries,
  coolDownTimes,
}: Pick<CallPolicy, 'retries' | 'coolDownTimes'>): number => (retries + 1) * (coolDownTimes + 1);

/**
 * The attempts of the undos of a step that is undone first (`failover` of a pool), between two operator events: those that its
 * policy allows, which count over all of these undos, and the last one of each, which succeeds and counts as no failure.
 */
export const undosFirstAllowed = (policy: StepPolicy): number =>
  attemptsAllowed(callPolicy(policy, 'undo')) + policy.coolDownTimes;

/**
 * The length of the cool-down after this round, ms. Multiplied step by step instead of by a power, which engines
 * round differently, and only up to the maximum, so that no product overflows (R15).
 *
 * @param round from 1
 */
export function coolDownAfter(
  {
    coolDownMs,
    coolDownFactor = 1,
    coolDownMaxMs = limits.coolDownMaxMs,
  }: Pick<CallPolicy, 'coolDownMs' | 'coolDownFactor' | 'coolDownMaxMs'>,
  round: number,
): number {
  let lengthMs = coolDownMs;
  for (let at = 1; at < round && lengthMs < coolDownMaxMs && coolDownFactor > 1; at += 1) {
    lengthMs *= coolDownFactor;
  }
  return Math.round(Math.min(lengthMs, coolDownMaxMs));
}
