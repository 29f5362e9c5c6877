/** The checks of one process that gates decide in: they know what it stored, sent and called, and nothing of its gates. */

import {
  type CheckedLimit,
  type LimitChecker,
  limitChecker,
} from '#checkers/process/limit-checker.ts';
import { outageChecker } from '#checkers/process/outage-checker.ts';
import { type ProbeChecker, probeChecker } from '#checkers/process/probe-checker.ts';
import { type ShareChecker, shareChecker } from '#checkers/process/share-checker.ts';
import { type SlotChecker, slotChecker } from '#checkers/process/slot-checker.ts';
import type { RecordPair } from '#checkers/transition.ts';
import type { Breach } from '#checkers/violation.ts';
import type { AgentLimit } from '#core/definition/agent-limit.ts';
import { limitsOf } from '#core/definition/registry.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { CircuitState } from '#core/flow/circuit.ts';
import type { AgentName } from '#core/model/ids.ts';
import type { Machine } from '#sim/world/machine.ts';
import type { SharedInfrastructure } from '#sim/world/shared-infrastructure.ts';
import { allowedAmounts } from './allowed-amounts.ts';

export interface ProcessChecks {
  readonly slots: SlotChecker;
  readonly probes: ProbeChecker;
  readonly limits: LimitChecker;
  /** Sees a write before the gates do, which nudge its order at once when it has a slot. */
  readonly shares: ShareChecker;
  /** For all checks except that of the shares. */
  stored(write: RecordPair): void;
}

interface AgentsOfProcess {
  readonly workflows: readonly WorkflowDefinition[];
  /** The pools of agents by name, with their members. */
  readonly pools: ReadonlyMap<AgentName, readonly AgentName[]>;
  /** The state of the circuit of an agent, as operators see it. */
  readonly stateOf: (agent: AgentName) => CircuitState;
}

export function processChecks(
  { around, breach: worldBreach, concurrency, ...shared }: SharedInfrastructure,
  machine: Machine,
  { pools, workflows, stateOf }: AgentsOfProcess,
): ProcessChecks {
  const { timeline, faults } = around;
  const { storeOutage, unreadable, serviceOutages, agentSettings } = shared;
  /** Disturbances of what is checked: faults, and what operators change of agents. */
  const count = () => faults.count() + (agentSettings?.former.length ?? 0);
  /** What waits then may wait for an operator. */
  const isOperated = () => agentSettings !== null && agentSettings.settings.size > 0;
  const breach: Breach = (rule, message) => {
    if (machine.isAlive()) worldBreach(rule, message);
  };
  const membersOf = (agent: AgentName) => pools.get(agent) ?? [agent];
  const isUp = (agent: AgentName) =>
    !storeOutage.isOn() &&
    !isOperated() &&
    membersOf(agent).every((own) => serviceOutages.of(own) === null);
  /** Of a pool, that of a member whose circuit is not closed. */
  const circuitOf = (agent: AgentName): CircuitState =>
    membersOf(agent)
      .map(stateOf)
      .find((state) => state !== 'closed') ?? 'closed';
  const keyed = withUnknownKeys(workflows, around.subject.limits);
  let turns = 0;

  const slots = slotChecker({
    concurrency,
    pools,
    now: timeline.now,
    faults: count,
    serviceOf(agent) {
      if (!isUp(agent)) return 'unavailable';
      return circuitOf(agent) === 'closed' ? 'available' : 'circuit';
    },
    haveRoom: (agent, order) => limits.haveRoom(agent, order),
    breach,
  });
  const limits: LimitChecker = limitChecker({
    limits: around.subject.limits,
    now: machine.clock.now,
    faults: count,
    mayBegin: (name) => isUp(name) && circuitOf(name) === 'closed' && slots.hasSlot(name),
    allowed: allowedAmounts(agentSettings, around, 'process'),
    breach,
  });
  const shares = shareChecker({
    concurrencyOf: (agent) => concurrency * membersOf(agent).length,
    disturbance(agent) {
      const isShared = isUp(agent) && circuitOf(agent) === 'closed';
      if (isShared && !keyed.has(agent)) return `faults ${count()}`;
      turns += 1;
      return `circuit ${turns}`;
    },
    haveRoom: limits.haveKeyedRoom,
    now: timeline.now,
    breach,
  });
  const outages = outageChecker(
    machine.clock.now,
    (agent, order) => {
      const circuit = circuitOf(agent);
      const isKnown = circuit === 'open' || circuit === 'half-open';
      const isReadable = !storeOutage.isOn() && !unreadable.includes(order);
      const isOutage = serviceOutages.of(agent) === 'fails' && isReadable;
      return isKnown && isOutage ? `${serviceOutages.endOf(agent)} ${count()}` : null;
    },
    breach,
  );
  return {
    slots,
    limits,
    shares,
    probes: probeChecker(circuitOf, machine.latestNow, breach),
    stored(write) {
      slots.stored(write.after);
      limits.stored(write.after);
      outages(write);
    },
  };
}

/** The agents and pools that have a limit by a key that no checker can make: a step that waits for room in it is passed by steps of other keys. */
function withUnknownKeys(
  workflows: readonly WorkflowDefinition[],
  known: readonly CheckedLimit[],
): ReadonlySet<string> {
  const isUnknown = ({ name, key }: AgentLimit) =>
    key !== null && known.every((limit) => limit.name !== name);
  const all = [...limitsOf(workflows)];
  return new Set(all.flatMap(([agent, { shared }]) => (shared.some(isUnknown) ? [agent] : [])));
}
