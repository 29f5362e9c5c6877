/** R24: an agent that an operator has drained gets no call; a member of a pool only what is bound to its domain. */
import { dispatchedIn, type RecordPair } from '#checkers/transition.ts';
import type { Breach } from '#checkers/violation.ts';
import type { AgentName } from '#core/model/ids.ts';
import { findStep, type StepRecord } from '#core/model/record.ts';
import type { AgentSettingTable } from '#sim/ports/sim-flow.ts';
import type { SimContext } from '#sim/world/sim-context.ts';
import { inForceAfterMs, settingsSince } from './allowed-amounts.ts';

/** Takes each write. Without a table, operators drain nothing. */
export function drainedAgents(
  table: AgentSettingTable | null,
  around: Pick<SimContext, 'timeline' | 'faults' | 'subject'>,
  breach: Breach,
): (write: RecordPair) => void {
  if (table === null) return () => {};
  const isDrained = (agent: AgentName) =>
    settingsSince(table, around, inForceAfterMs).every(
      (settings) => settings.get(agent)?.drained !== undefined,
    );
  return (write) => {
    for (const step of dispatchedIn(write)) {
      const was = findStep(write.before ?? { steps: [] }, step.name);
      if (around.subject.members.has(step.agent) && isBound(step, was)) continue;
      if (!isDrained(step.agent)) continue;
      breach(
        'R24',
        `${step.name} of ${write.after.orderId} began at ${step.agent}, which is drained`,
      );
    }
  };
}

/** Whether other members of the pool may not get the call: its domain has, or may have, an effect. */
const isBound = ({ progress }: StepRecord, was: StepRecord | undefined): boolean =>
  progress.state === 'Undoing' || (was !== undefined && was.doubtUntil !== null);
