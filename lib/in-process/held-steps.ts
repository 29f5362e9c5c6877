/**
 * Puts the steps that stored records hold where they wait, and takes them out. Those that wait until an operator lets their agents
 * have new calls again are in no list of an agent, because each free slot would be given to them again and again.
 */
import type { WaitedMember } from '#core/decide/choose-agent.ts';
import { type Nudge, nudgeOf } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { type HeldStep, heldChanges } from './held-changes.ts';

/** The members of a pool that a step waits for; undefined: all of them, or a single agent. */
type Members = readonly WaitedMember[] | undefined;

/** Where steps wait for their agents. */
export interface HeldStepsOptions {
  /** Those that the definition of the order has. */
  readonly membersOf: (record: ProcessRecord, step: HeldStep) => Members;
  readonly hold: (step: HeldStep, nudge: Nudge, members: Members) => void;
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

interface Held {
  readonly step: HeldStep;
  readonly nudge: Nudge;
  readonly members: Members;
}

/** No step waits at first. */
export function heldSteps({ hold, forget, membersOf, isHeldBack }: HeldStepsOptions): HeldSteps {
  const drained = new Map<string, Held>();
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
          drained.set(step.key, { step, nudge: nudgeOf(record), members: membersOf(record, step) });
        } else {
          drained.delete(step.key);
          hold(step, nudgeOf(record), membersOf(record, step));
        }
      }
    },
    release() {
      const free = [...drained.values()].filter(({ step }) => !isHeldBack(step.agent));
      for (const { step, nudge, members } of free) {
        drained.delete(step.key);
        hold(step, nudge, members);
      }
    },
  };
}
