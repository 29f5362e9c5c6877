/**
 * What operators change of agents while orders run: a drained agent gets no new calls, and a member of a pool may have another
 * weight. A drained member is one without a weight: it gets only what is bound to its domain (R25).
 *
 *     next call of a step           | drained member of a pool      | drained agent without a pool
 *     perform that may go elsewhere | goes elsewhere, else is held  |
 *     perform                       |                               | is held
 *     perform in doubt, undo        | goes there, if no other       | is held
 *                                   | member of the domain takes it |
 *     in flight                     | goes on                       | goes on
 */
import type { AgentLimit } from './agent-limit.ts';
import { poolsOf, type WorkflowRegistry } from './registry.ts';
import type { StepDefinition, WorkflowDefinition } from './workflow-definition.ts';

/** Who changed something, and when, ms since the epoch. */
export interface Changed {
  readonly by: string;
  readonly at: number;
}

/** How much a limit allows now; each absent: as its definition says. */
export interface LimitSetting extends Changed {
  readonly rate?: AgentLimit['rate'];
  readonly atOnce?: number;
}

/** What operators have changed of one agent or limit; each absent: nothing. */
export interface AgentSetting {
  readonly drained?: Changed;
  readonly weight?: Changed & { readonly value: number };
  readonly limit?: LimitSetting;
}

/** By the names of agents, and of limits, such as `payment/per-tenant`; one without a setting is as its definition says. */
export type AgentSettings = ReadonlyMap<string, AgentSetting>;

/** A change by an operator; null: as the definition says again. */
export type AgentChange =
  | { readonly kind: 'drained'; readonly value: Changed | null }
  | { readonly kind: 'weight'; readonly value: (Changed & { readonly value: number }) | null }
  | { readonly kind: 'limit'; readonly value: LimitSetting | null };

/** The setting after the change. */
function changedSetting(setting: AgentSetting, change: AgentChange): AgentSetting {
  const next = { ...setting, [change.kind]: change.value ?? undefined };
  return {
    ...(next.drained !== undefined && { drained: next.drained }),
    ...(next.weight !== undefined && { weight: next.weight }),
    ...(next.limit !== undefined && { limit: next.limit }),
  };
}

/** The settings after the change of one agent. */
export function changedSettings(
  settings: AgentSettings,
  agent: string,
  change: AgentChange,
): AgentSettings {
  const next = new Map(settings);
  const setting = changedSetting(next.get(agent) ?? {}, change);
  if (Object.keys(setting).length === 0) next.delete(agent);
  else next.set(agent, setting);
  return next;
}

/** How much a limit allows now. */
export function amountNow<Limit extends Pick<AgentLimit, 'name' | 'rate' | 'atOnce'>>(
  limit: Limit,
  settings: AgentSettings,
): Limit {
  const own = settings.get(limit.name)?.limit;
  if (own === undefined) return limit;
  const { rate, atOnce } = limit;
  return {
    ...limit,
    rate: rate === null ? null : (own.rate ?? rate),
    atOnce: atOnce === null ? null : (own.atOnce ?? atOnce),
  };
}

/** Whether the agent is drained. */
export const isDrained = (settings: AgentSettings, agent: string): boolean =>
  settings.get(agent)?.drained !== undefined;

/** The weight of the member now. */
export function weightNow(
  { agent, weight }: { readonly agent: string; readonly weight: number },
  settings: AgentSettings,
): number {
  const own = settings.get(agent);
  return own?.drained === undefined ? (own?.weight?.value ?? weight) : 0;
}

/** The definitions as the settings change them. Without settings, they are the same objects. */
export function settledRegistry(
  registry: WorkflowRegistry,
  current: () => AgentSettings,
): WorkflowRegistry {
  let known: AgentSettings = new Map();
  let settled = new Map<WorkflowDefinition, WorkflowDefinition>();
  return {
    ...registry,
    of(record) {
      const definition = registry.of(record);
      const settings = current();
      if (settings !== known) settled = new Map();
      known = settings;
      if (definition === undefined || settings.size === 0) return definition;
      const made = settled.get(definition) ?? settledDefinition(definition, settings);
      settled.set(definition, made);
      return made;
    },
  };
}

function settledDefinition(
  definition: WorkflowDefinition,
  settings: AgentSettings,
): WorkflowDefinition {
  const steps = definition.steps.map((step) => settledStep(step, settings));
  const hasDrained = steps.some((step) => step.isDrained);
  return { ...definition, steps, ...(hasDrained && { hasDrained }) };
}

function settledStep(step: StepDefinition, settings: AgentSettings): StepDefinition {
  const { agent, pool } = step;
  if (pool === undefined) return isDrained(settings, agent) ? { ...step, isDrained: true } : step;
  const members = pool.map((member) => ({
    ...member,
    weight: weightNow(member, settings),
    ...(isDrained(settings, member.agent) && { isDrained: true }),
  }));
  return { ...step, pool: members };
}

/** Which agents take new calls. */
export interface Takers {
  /** See `poolsOf`: of a pool, the members that have a weight now. */
  readonly pools: ReadonlyMap<string, readonly string[]>;
  /** The agents without a pool, and the pools, that no new call goes to. */
  readonly heldBack: ReadonlySet<string>;
}

/** Which agents of these definitions take new calls. */
export function takersOf(
  definitions: readonly WorkflowDefinition[],
  settings: AgentSettings,
): Takers {
  const settled = definitions.map((one) => settledDefinition(one, settings));
  const heldBack = new Set<string>();
  for (const { agent, pool, isDrained: isOut } of settled.flatMap(({ steps }) => steps)) {
    if (isOut || pool?.every(({ weight }) => weight === 0)) heldBack.add(agent);
  }
  return { pools: poolsOf(settled), heldBack };
}
