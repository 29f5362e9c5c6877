/**
 * The circuits of agents that were open in the former process are open in this one. Else a service that hangs would get as many calls at once
 * as its agent may make, after each start, and each of them would count as a failure of its order. That a circuit was open is known from the
 * orders that waited for it: they are interrupted at the start, before they are claimed again.
 */
import { type ProcessRecord, waitsForAgent } from '#core/model/record.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';

/** See `onRecord` of the gates. */
type OnRecord = (record: ProcessRecord, before: ProcessRecord | null) => void;

/**
 * Call it after each write.
 *
 * @param circuits by the names of agents
 * @param members those of each pool, by the name under which its steps wait
 * @param next gets the record then
 */
export function inheritingCircuits(
  circuits: ReadonlyMap<string, Pick<CircuitBreaker, 'inherit'>>,
  members: ReadonlyMap<string, readonly string[]>,
  next: OnRecord,
): OnRecord {
  return (record, before) => {
    for (const { name, since } of waitsForOpenCircuits(record)) {
      for (const agent of members.get(name) ?? [name]) circuits.get(agent)?.inherit(since);
    }
    next(record, before);
  };
}

interface Wait {
  /** The name under which the step waits. */
  readonly name: string;
  /** Since when, ms since the epoch. */
  readonly since: number;
}

function waitsForOpenCircuits({ isHeld, history, steps }: ProcessRecord): readonly Wait[] {
  if (isHeld !== true || history.at(-1)?.type !== 'interrupted') return [];
  return steps.flatMap(({ agent, progress }) =>
    waitsForAgent(progress) && progress.gate === 'circuit'
      ? [{ name: agent, since: progress.since }]
      : [],
  );
}
