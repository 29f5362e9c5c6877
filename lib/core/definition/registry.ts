/** Workflow definitions by name and version. */
import { DefinitionError } from '#core/model/errors.ts';
import type { AgentName } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { AgentLimit } from './agent-limit.ts';
import type { WorkflowDefinition } from './workflow-definition.ts';

/** The workflows of a process. */
export interface WorkflowRegistry {
  /** Every version of every workflow. */
  readonly all: readonly WorkflowDefinition[];
  /** The highest version, which new orders use. */
  latest(name: string): WorkflowDefinition | undefined;
  version(name: string, version: number): WorkflowDefinition | undefined;
  /** The definition of the order at its submission; undefined when it is unknown or has changed since. */
  of(
    record: Pick<ProcessRecord, 'workflow' | 'workflowVersion' | 'fingerprint'>,
  ): WorkflowDefinition | undefined;
}

/**
 * @throws {DefinitionError} `version-twice` when two definitions have the same name and version; `pool-invalid` when steps of two
 *   pools would wait under one name
 */
export function workflowRegistry(definitions: readonly WorkflowDefinition[]): WorkflowRegistry {
  checkPoolNames(definitions);
  // By name, then by version: a joined key would be made again for every event of every order.
  const versions = new Map<string, Map<number, WorkflowDefinition>>();
  const version = (name: string, number: number) => versions.get(name)?.get(number);
  const latest = new Map<string, WorkflowDefinition>();
  for (const definition of definitions) {
    const { name, version: number } = definition;
    const known = version(name, number);
    if (known !== undefined && known !== definition) {
      throw new DefinitionError(
        'version-twice',
        `Two different definitions have the name and version ${name}@${number}: give the newer one the next version.`,
      );
    }
    versions.set(name, (versions.get(name) ?? new Map()).set(number, definition));
    if ((latest.get(name)?.version ?? 0) < number) latest.set(name, definition);
  }
  return {
    all: [...new Set(definitions)],
    latest: (name) => latest.get(name),
    version,
    of: (record) => {
      const found = version(record.workflow, record.workflowVersion);
      return found?.fingerprint === record.fingerprint ? found : undefined;
    },
  };
}

/** The group of the domain `eu` of a pool `pay` is `pay--eu`, which another pool may not be called. */
function checkPoolNames(definitions: readonly WorkflowDefinition[]): void {
  const owners = new Map<AgentName, AgentName>();
  for (const { agent: owner, pool } of definitions.flatMap(({ steps }) => steps)) {
    for (const name of pool === undefined ? [] : [owner, ...pool.map(({ group }) => group)]) {
      const other = owners.get(name) ?? owner;
      if (other !== owner) {
        throw new DefinitionError(
          'pool-invalid',
          `Steps of the pools ${other} and ${owner} would wait under the name ${name}: rename one of the pools, or its domain.`,
        );
      }
      owners.set(name, owner);
    }
  }
}

/**
 * The names under which steps wait for several members of a pool, each with those members: of a pool the ones that may get any
 * call, of a group all of its domain.
 */
export function poolsOf(
  definitions: readonly WorkflowDefinition[],
): ReadonlyMap<AgentName, readonly AgentName[]> {
  const pools = new Map<AgentName, readonly AgentName[]>();
  // Versions of a workflow may have other members of the same pool.
  const add = (name: AgentName, agent: AgentName) =>
    pools.set(name, [...new Set([...(pools.get(name) ?? []), agent])]);
  for (const { agent: name, pool = [] } of definitions.flatMap(({ steps }) => steps)) {
    for (const { agent, group, domain, weight } of pool) {
      if (weight > 0) add(name, agent);
      if (group === agent) continue;
      for (const other of pool) if (other.domain === domain) add(group, other.agent);
    }
  }
  return pools;
}

/** The same, with the members that have no weight now: operators may give them one. */
export function widestPoolsOf(
  definitions: readonly WorkflowDefinition[],
): ReadonlyMap<AgentName, readonly AgentName[]> {
  const weighted = definitions.map(({ steps, ...rest }) => ({
    ...rest,
    steps: steps.map(({ pool, ...step }) => ({
      ...step,
      ...(pool !== undefined && { pool: pool.map((member) => ({ ...member, weight: 1 })) }),
    })),
  }));
  return poolsOf(weighted);
}

/** The limits of the calls of one agent. */
export interface CallLimits {
  /** Of all its calls. */
  readonly own: readonly AgentLimit[];
  /**
   * Of the calls of a key, and of all calls of a pool: the same object for the pool and all of its members, which count together.
   */
  readonly shared: readonly AgentLimit[];
}

/**
 * The limits by the names of agents, and by those under which steps wait for members of a pool. Where versions of a workflow
 * differ, those of the latest one count.
 */
export function limitsOf(
  definitions: readonly WorkflowDefinition[],
): ReadonlyMap<AgentName, CallLimits> {
  const all = new Map<AgentName, CallLimits>();
  const set = (name: AgentName, { own, shared }: CallLimits) => {
    if (own.length + shared.length === 0) all.delete(name);
    else all.set(name, { own, shared });
  };
  const versions = definitions.toSorted((a, b) => a.version - b.version);
  for (const { agent, pool, limits = [] } of versions.flatMap(({ steps }) => steps)) {
    if (pool === undefined) {
      const [own, shared] = [limits.filter(isWhole), limits.filter((one) => !isWhole(one))];
      set(agent, { own, shared });
      continue;
    }
    set(agent, { own: [], shared: limits });
    for (const { group } of pool) set(group, { own: [], shared: limits });
    for (const member of pool) set(member.agent, { own: member.limits ?? [], shared: limits });
  }
  return all;
}

const isWhole = ({ key }: AgentLimit) => key === null;

/**
 * Reads what schemas mark as sensitive, where workflows are started or deployed: a schema that cannot be read is found there, and not while an order is shown.
 *
 * @throws {Error} of zod, such as for two schemas with the same id
 */
export function checkMarks(definitions: readonly WorkflowDefinition[]): void {
  for (const { sensitive, steps } of definitions) {
    sensitive(null);
    for (const step of steps) {
      step.sensitive.input(null);
      step.sensitive.output(null);
    }
  }
}
