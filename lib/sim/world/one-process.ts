/**
 * Reeve in one process, composed as in lib/runtime/local/local-reeve.ts: with the in-process channels, and with gates that
 * learn from each durable write which steps wait. A crash loses the messages and the gates.
 */

import type { LimitChecker } from '#checkers/process/limit-checker.ts';
import { agentMissing } from '#core/definition/agent.ts';
import { agentGroups } from '#core/definition/agent-group.ts';
import { isDrained } from '#core/definition/agent-settings.ts';
import { poolsOf } from '#core/definition/registry.ts';
import type { AgentName, OrderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { AgentGate } from '#in-process/agent-gate.ts';
import type { AgentGates } from '#in-process/agent-gates.ts';
import { type OrderBacklog, orderBacklog } from '#in-process/backlog/order-backlog.ts';
import { type LocalSettings, localSettings } from '#in-process/local-settings.ts';
import { tenantWeights } from '#in-process/tenant-weights.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import type { AgentRunner } from '#roles/agent/agent-runner.ts';
import {
  type AgentAssembly,
  assembleAgent,
  assembleAgentControl,
  assembleLimitControl,
  assembleProcess,
  type ProcessAssembly,
  type Started,
} from '#roles/assemble.ts';
import type { SweepTimer } from '#roles/periodic-sweep.ts';
import { localChannels, localGates } from '#runtime/local/local-channels.ts';
import { processChecks } from '#sim/checks/process-checks.ts';
import { localMessages } from '#sim/ports/local-messages.ts';
import { simBreaker } from '#sim/ports/sim-breaker.ts';
import { agentSettingTable, simAgentSettings } from '#sim/ports/sim-flow.ts';
import { watchedHandler, watchedNudges, watchedStore } from '#sim/ports/watched-begins.ts';
import type { Chance } from './chance.ts';
import { watchedCalls } from './counted-calls.ts';
import type { Controls, Host } from './host.ts';
import { type Machine, once } from './machine.ts';
import type { SharedInfrastructure } from './shared-infrastructure.ts';
import { orderIdOf } from './sim-services.ts';

/** The ports of a process that its machine provides. */
export type ProcessPorts = Omit<
  ProcessAssembly,
  'channels' | 'gates' | 'rampPerSecond' | 'sliceMax' | 'sweepPeriodMs' | 'watchRecords'
>;

export type ProcessRoles = Pick<
  Host,
  | 'scheduler'
  | 'submission'
  | 'queuedSubmission'
  | 'operator'
  | 'controls'
  | 'onChecks'
  | 'sweeping'
  | 'runner'
  | 'onRecord'
  | 'learnTime'
  | 'noteReplies'
  | 'atEnd'
>;

/** @param count called with the change in the number of messages that are not settled */
export function processOf(
  ports: ProcessPorts,
  shared: SharedInfrastructure,
  machine: Machine,
  count: (by: number) => void,
): ProcessRoles {
  const { clock, log, random } = ports;
  const weights = tenantWeights();
  const pools = poolsOf(ports.registry.all);
  const checks = processChecks(shared, machine, {
    ...{ pools, workflows: ports.registry.all },
    stateOf: (agent) => gates.of(agent).state(),
  });
  const messages = localMessages({ shared, machine, slots: checks.slots, count });
  const links = localChannels(
    { clock, log, weights },
    messages.toScheduler({
      onNudges: watchedHandler((nudges) => roles.scheduler.onNudges(nudges), checks.shares),
      onReplies: (agent, replies) => roles.scheduler.onReplies(agent, replies),
    }),
  );
  const channels = watchedNudges(messages.channels(links.channels), checks.shares);
  const agents = agentsOf(shared, machine, checks.limits);
  const settings = settingsOf(shared, machine);
  const backlog = orderBacklog({
    ...{ ...shared.backlog, weights, pools, clock },
    needs: agentGroups(ports.registry.all),
    takes: (agent) => !isDrained(settings.current(), agent),
  });
  const gates = localGates(
    { agents, workflows: ports.registry.all, clock, log, weights, backlog, settings },
    channels,
  );
  const countIn = waitingIn(backlog);
  const listeners = new Set<(record: ProcessRecord) => void>();
  const sweeps = sweepNotes(shared, machine);
  const roles = assembleProcess({
    ...ports,
    store: watchedStore(ports.store, checks.shares, checks.slots, sweeps.note),
    ...{ channels, gates },
    ...(shared.agentSettings !== null && { settings }),
    admission: backlog,
    watchRecords(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    sweepPeriodMs: shared.sweepPeriodMs,
    ...slowRecovery(shared.around.chance),
  });
  const runners = new Map<AgentName, AgentRunner>();
  for (const agent of agents) {
    const { name } = agent.contract;
    const runner = assembledWhenUsed(agent, {
      breakerFor: (of) => simBreaker(name, gates.of(of), shared.around, checks.probes),
      repliesOf: (own) => messages.replies(name, links.repliesOf(own)),
      clock,
      random,
      log,
    });
    links.serve(agent, messages.runner(runner));
    runners.set(name, runner);
  }
  return {
    scheduler: roles.scheduler,
    submission: roles.submission,
    queuedSubmission: roles.submission,
    operator: roles.operator,
    controls: shared.agentSettings && controlsOf(ports, settings, gates),
    // Its timer needs no checks.
    onChecks: async (all) => all.map(() => ({ kind: 'done' })),
    sweeping: { kind: 'by-itself', start: async () => sweeps.follow(await roles.start()) },
    ...withoutQueues,
    onRecord: (record: ProcessRecord, before: ProcessRecord | null) =>
      machine.whenAwake(() => {
        countIn(record, before);
        backlog.onRecord(record, before);
        checks.shares.stored({ before, after: record });
        gates.onRecord(record, before);
        for (const listener of listeners) listener(record);
        checks.stored({ before, after: record });
      }),
    atEnd: checks.slots.lookAtAll,
    runner(agent) {
      const runner = runners.get(agent);
      if (runner === undefined) throw agentMissing(agent);
      return runner;
    },
  };
}

/**
 * So few at once that much happens during the recovery after a restart; and in half of the worlds so few per second that orders wait
 * for their turn.
 */
function slowRecovery(chance: Chance) {
  const { recoveryRampPerSecond } = limits;
  return {
    sliceMax: chance.between(1, 2),
    rampPerSecond: chance.pick([1, 2, recoveryRampPerSecond, recoveryRampPerSecond]),
  };
}

/** Notes the sweeps of a process. Call `note` when one may have ended: after each, the timer of the process reads the due index. */
function sweepNotes({ sweepRuns }: SharedInfrastructure, machine: Machine) {
  let timer: SweepTimer | null = null;

  function note(): void {
    const at = timer?.lastSweepAt() ?? null;
    if (at !== null && machine.isAlive()) sweepRuns.swept(at);
  }

  return {
    note,
    follow(started: Started): void {
      timer = started.sweeps;
      note();
    },
  };
}

/** Many processes live for seconds, in which they call few agents. */
function assembledWhenUsed(agent: AgentImplementation, ports: AgentAssembly): AgentRunner {
  const runner = once(() => assembleAgent(agent, ports));
  return {
    handle: (...request) => runner().handle(...request),
    endpoints: () => runner().endpoints(),
    close: () => runner().close(),
  };
}

/** Its messages wait in no queue. */
const withoutQueues: Pick<ProcessRoles, 'learnTime' | 'noteReplies'> = {
  learnTime() {},
  noteReplies: async () => {},
};

/** The agents, whose services count the calls of this process. */
function agentsOf(shared: SharedInfrastructure, machine: Machine, limits: LimitChecker) {
  const count = watchedCalls(shared.count, (agent, { key }) => limits.began(agent, orderIdOf(key)));
  const { contracts } = shared.around.subject;
  return contracts.map(({ name }) =>
    shared.agents.implementation(name, machine, { ...shared, count }),
  );
}

function settingsOf({ agentSettings }: SharedInfrastructure, machine: Machine): LocalSettings {
  const table = agentSettings ?? agentSettingTable(machine.clock.now);
  return localSettings(simAgentSettings(table, machine, true), table.settings);
}

function controlsOf(
  { registry, clock, log }: ProcessPorts,
  settings: LocalSettings,
  gates: Pick<AgentGates, 'of'>,
): Controls {
  const ports = { registry, settings, clock, log };
  const reports = () => ({
    ...{ of: (agent: AgentName) => reportOf(gates.of(agent)), waitingFor: () => null },
  });
  return {
    agents: assembleAgentControl({ ...ports, reports }),
    limits: assembleLimitControl(ports),
  };
}

const reportOf = (gate: AgentGate) => ({
  circuit: { state: gate.state(), since: gate.circuit().since },
  ...{ inFlight: null, room: gate.room(), waiting: null },
});

/** Counts each order from its first write by this process on, as lib/runtime/local/activity/activity.ts does. */
function waitingIn({ add, takeOut }: OrderBacklog) {
  const counted = new Set<OrderId>();
  return (record: ProcessRecord, before: ProcessRecord | null): void => {
    if (before !== null && counted.has(record.orderId)) takeOut(before);
    counted.add(record.orderId);
    add(record);
  };
}

/** It accepts messages and sweeps while it recovers from a crash. */
export function startOneProcess(host: Host): void {
  const { machine, sweeping } = host;
  if (sweeping.kind !== 'by-itself') return;
  host.ready = false;
  host.onlyInvoked = false;
  void sweeping.start().then(
    () => {
      host.ready = true;
    },
    // As in lib/runtime/command/start-command.ts: a process that cannot begin to recover does not start.
    () => machine.die(),
  );
}
