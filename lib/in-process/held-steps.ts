/**
 * Puts the steps that stored records hold where they wait, and takes them out. Those that wait until an operator lets their agents
 * have new calls again are in no list of an agent, because each free slot would be given to them again and again.
 */
import { type Nudge, nudgeOf } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { type HeldStep, heldChanges } from './held-changes.ts';

/** Where steps wait for their agents. */
export interface HeldStepsOptions {
  readonly hold: (step: HeldStep, nudge: Nudge) => void;
  readonly forget: (step: HeldStep) => void;
  /** Whether operators let no new call go to the agent, or to any member of the pool. */
  readonly isHeldBack: (agent: string) => boolean;
}

/** See {@link heldSteps}. */
export interface HeldSteps {
  /** See `onRecord` of the gates. */
  onRecord(record: ProcessRecord, before: ProcessRecord | null): void;
  /** Lets the steps go on whose agents take new calls now. */
  release(): void;
}

/** No step waits at first. */
export function heldSteps({ hold, forget, isHeldBack }: HeldStepsOptions): HeldSteps {
  const drained = new Map<string, { readonly step: HeldStep; readonly nudge: Nudge }>();
  return {
    onRecord(record, before) {
      const { begun, ended } = heldChanges(record, before);
      for (const step of ended) {
        drained.delete(step.key);
        forget(step);
      }
      for (const step of begun) {
        // The agent may have been resumed since the decision.
        if (step.gate === 'drained' && isHeldBack(step.agent)) {
          forget(step);
          drained.set(step.key, { step, nudge: nudgeOf(record) });
        } else {
          drained.delete(step.key);
          hold(step, nudgeOf(record));
        }
      }
    },
    release() {
      const free = [...drained.values()].filter(({ step }) => !isHeldBack(step.agent));
      for (const { step, nudge } of free) {
        drained.delete(step.key);
        hold(step, nudge);
      }
    },
  };
}
