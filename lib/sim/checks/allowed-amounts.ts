/** How much the limits of agents allow, where operators change it while orders run. */
import type { CheckedLimit } from '#checkers/process/limit-checker.ts';
import type { AgentSettings } from '#core/definition/agent-settings.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { callPolicy } from '#core/model/policy.ts';
import type { FaultName } from '#sim/faults/fault-rates.ts';
import type { AgentSettingTable } from '#sim/ports/sim-flow.ts';
import type { SimContext } from '#sim/world/sim-context.ts';

/** A change is in force so long after it was stored, ms; what was let through before may begin until then. */
const inForceAfterMs = 5_000;
/** As above, after a fault for which a process does not know of the change. */
const lateInForceAfterMs = 300_000;
const delaying: readonly FaultName[] = [
  ...(['frozen', 'clock-skewed', 'clock-jumps-days', 'clock-steps-back'] as const),
  ...(['call-slow', 'answer-lost', 'coordination-throttled', 'store-outage'] as const),
];

/**
 * The most that a limit allowed in the interval that its checker counts; without a table, what its definition says. The further calls of
 * an attempt have what was in force when the attempt began.
 *
 * @param where a function that cannot read what was changed goes by the definition; one process knows it from its start
 */
export function allowedAmounts(
  table: AgentSettingTable | null,
  around: Pick<SimContext, 'timeline' | 'faults' | 'subject'>,
  where: 'functions' | 'process',
): (limit: CheckedLimit) => CheckedLimit {
  if (table === null) return (limit) => limit;
  const attemptMs = longestAttemptMs(around.subject.registries.new.all);
  const unread = (): AgentSettings[] =>
    where === 'functions' && isDelayed(around) ? [new Map()] : [];
  return (limit) =>
    [...unread(), ...settingsSince(table, around, attemptMs + (limit.rate?.per ?? 0))]
      .map((settings) => withSettings(limit, settings))
      .reduce(larger);
}

/** The longest time of an attempt, ms, with all its heartbeats. */
const longestAttemptMs = (definitions: readonly WorkflowDefinition[]): number =>
  Math.max(
    ...definitions
      .flatMap(({ steps }) => steps)
      .flatMap(({ policy }) =>
        (['perform', 'undo'] as const).map((action) => callPolicy(policy, action).maxDurationMs),
      ),
  );

/** What was stored at any time that a process may go by, for something that began so long ago, ms; the present settings last. */
function settingsSince(
  table: AgentSettingTable,
  around: Pick<SimContext, 'timeline' | 'faults'>,
  agoMs: number,
): AgentSettings[] {
  const afterMs = isDelayed(around) ? lateInForceAfterMs : inForceAfterMs;
  const since = around.timeline.now() - afterMs - agoMs;
  const inForce = table.former.filter(({ until }) => until > since);
  return [...inForce, table].map(({ settings }) => settings);
}

const isDelayed = ({ faults }: Pick<SimContext, 'faults'>): boolean =>
  delaying.some((name) => faults.hits.has(name));

function withSettings(limit: CheckedLimit, settings: AgentSettings): CheckedLimit {
  const changed = settings.get(limit.name)?.limit;
  const rate = limit.rate && (changed?.rate ?? limit.rate);
  const atOnce = limit.atOnce && (changed?.atOnce ?? limit.atOnce);
  return {
    ...limit,
    ...(rate !== undefined && { rate }),
    ...(atOnce !== undefined && { atOnce }),
  };
}

/** Operators of simulated worlds do not change the interval of a rate. */
const larger = (one: CheckedLimit, other: CheckedLimit): CheckedLimit => ({
  ...one,
  ...(one.rate !== undefined && {
    rate: {
      per: one.rate.per,
      count: Math.max(one.rate.count, other.rate?.count ?? 0),
      burst: Math.max(one.rate.burst ?? 1, other.rate?.burst ?? 1),
    },
  }),
  ...(one.atOnce !== undefined && { atOnce: Math.max(one.atOnce, other.atOnce ?? 0) }),
});
