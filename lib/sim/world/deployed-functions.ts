/** Reeve as the functions in lambdas compose it: what they share is in tables and queues. */

import { deadlineCheckCodec } from '#core/codec/messages/deadline-check-codec.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import { poolsOf } from '#core/definition/registry.ts';
import { sharedAgentReports } from '#distributed/agent-reports.ts';
import { anyQueue } from '#distributed/any-queue.ts';
import { heldStarter } from '#distributed/held-starter.ts';
import { heldSweep } from '#distributed/held-sweep.ts';
import { knownSettings } from '#distributed/known-settings.ts';
import { sharedLimits } from '#distributed/limits/shared-limits.ts';
import { nudgeWaiting } from '#distributed/nudge-waiting.ts';
import { type QueueClock, queueClock } from '#distributed/queue-clock.ts';
import { replyDelayNotes } from '#distributed/reply-delay-notes.ts';
import { reportBacklog } from '#distributed/report-backlog.ts';
import { sharedAdmission } from '#distributed/shared-admission.ts';
import { sharedGates } from '#distributed/shared-gates.ts';
import type { Channels } from '#ports/channels.ts';
import type { Random } from '#ports/random.ts';
import type { StateStore } from '#ports/state-store.ts';
import {
  assembleAgentControl,
  assembleDeadlineChecks,
  assembleLimitControl,
  assembleOperator,
  assembleScheduler,
  assembleSubmission,
  assembleSweeps,
  type NudgingPorts,
  type SchedulerAssembly,
  type SweepAssembly,
} from '#roles/assemble.ts';
import { requestsByAgent } from '#roles/requests-by-agent.ts';
import type { Scheduler } from '#roles/scheduler.ts';
import { runnersOf } from '#sim/ports/function-runners.ts';
import { simFlowOf } from '#sim/ports/held-index.ts';
import { simCoordination } from '#sim/ports/sim-coordination.ts';
import {
  simAgentSettings,
  simBacklogReport,
  simCircuits,
  simHeldSteps,
  simReplyDelays,
  simRequestBacklog,
} from '#sim/ports/sim-flow.ts';
import { simLimitItems } from '#sim/ports/sim-limit-items.ts';
import type { Controls } from './host.ts';
import { channelOf } from './host-ports.ts';
import { type Machine, once } from './machine.ts';
import type { ProcessPorts, ProcessRoles } from './one-process.ts';
import type { SharedByFunctions } from './shared-infrastructure.ts';

/**
 * The roles of one machine.
 *
 * @param sweptStore the store as the Supervisor accesses it
 */
export function functionsOf(
  ports: ProcessPorts,
  shared: SharedByFunctions,
  machine: Machine,
  sweptStore: StateStore,
): ProcessRoles {
  const nudges = nudgesOf(shared, machine);
  const nudging = { ...ports, nudges };
  const checks = checksOf(shared, machine);
  const prompt = shared.recovery === 'prompt' ? { checks } : {};
  const coordination = simCoordination(shared.coordination, machine);
  const { sweepPeriodMs } = shared;
  const time = queueClock({ now: machine.clock.now, uptime: machine.uptime });
  const report = simBacklogReport(shared.report, machine);
  const replyDelays = simReplyDelays(shared.replyDelays, machine);
  const notes = replyDelayNotes({
    delays: replyDelays,
    ...{ clock: machine.clock, queueClock: time, log: ports.log },
  });
  const made = {
    scheduler: once(() => {
      const channels = { nudges, requests: requestsOf(shared, machine, ports.random) };
      return schedulerOf({ ...ports, ...prompt, channels }, shared, { machine, time });
    }),
    checks: once(() => {
      const { dueShards: shards } = ports.store;
      return assembleDeadlineChecks({ ...nudging, checks, coordination, replyDelays, shards });
    }),
    queued: once(() => assembleSubmission(nudging)),
    asked: once(() => {
      const { registry, clock, log } = ports;
      return assembleSubmission({
        ...nudging,
        admission: sharedAdmission({
          ...shared.backlog,
          ...{ report, registry, clock, log, sweepPeriodMs },
          flowOf: simFlowOf,
          readEveryOrders: shared.readEveryOrders,
        }),
      });
    }),
    operator: once(() => assembleOperator(nudging)),
    sweeps: once(() =>
      sweepsOf(
        { ...nudging, ...prompt, store: sweptStore, coordination, replyDelays },
        shared,
        machine,
      ),
    ),
  };
  return {
    scheduler: {
      onNudges: (...of) => made.scheduler().onNudges(...of),
      onReplies: (...of) => made.scheduler().onReplies(...of),
    },
    onChecks: (...of) => made.checks().onChecks(...of),
    queuedSubmission: { submit: (...of) => made.queued().submit(...of) },
    submission: { submit: (...of) => made.asked().submit(...of) },
    operator: {
      resubmit: (...of) => made.operator().resubmit(...of),
      cancel: (...of) => made.operator().cancel(...of),
      reprioritise: (...of) => made.operator().reprioritise(...of),
    },
    controls: controlsOf(nudging, shared, machine),
    sweeping: {
      kind: 'invoked',
      tick: () => made.sweeps().tick(),
      nudgeHeld: () => made.sweeps().nudgeHeld(),
    },
    runner: runnersOf(shared, machine, time, ports.log),
    learnTime: time.received,
    noteReplies: notes.received,
    onRecord() {},
    atEnd() {},
  };
}

function schedulerOf(
  ports: Omit<SchedulerAssembly, 'gates'>,
  shared: SharedByFunctions,
  { machine, time }: { readonly machine: Machine; readonly time: QueueClock },
): Scheduler {
  const { clock, random, log } = ports;
  const settings = shared.agentSettings && {
    settings: knownSettings({
      store: simAgentSettings(shared.agentSettings, machine),
      isOftenChanged: true,
      ...{ clock, log },
    }),
  };
  const gates = sharedGates({
    instance: machine.name,
    limited: shared.limitedAgents,
    circuits: simCircuits(shared.circuits, machine),
    backlog: simRequestBacklog(shared.queues, machine),
    limits: sharedLimits({
      instance: machine.name,
      limits: shared.limits,
      items: simLimitItems(shared.limitItems, machine),
      ...{ ...settings, clock, queueClock: time, random, log },
    }),
    clock,
    log,
  });
  const heldSteps = simHeldSteps(shared.held, machine);
  return assembleScheduler({
    ...ports,
    gates,
    ...settings,
    heldSteps: heldStarter({
      gates,
      heldSteps,
      pools: poolsOf(ports.registry.all),
      clock,
      random,
      log,
    }),
  });
}

function controlsOf(
  { registry, clock, log, nudges }: NudgingPorts<SchedulerAssembly>,
  shared: SharedByFunctions,
  machine: Machine,
): Controls | null {
  if (shared.agentSettings === null) return null;
  const circuits = simCircuits(shared.circuits, machine);
  const report = simBacklogReport(shared.report, machine);
  const heldSteps = simHeldSteps(shared.held, machine);
  const ports = {
    settings: simAgentSettings(shared.agentSettings, machine),
    onMore: nudgeWaiting({ heldSteps, nudges, clock }),
    ...{ registry, clock, log },
  };
  const reports = sharedAgentReports({ circuits, report, clock });
  return {
    agents: assembleAgentControl({ ...ports, reports }),
    limits: assembleLimitControl(ports),
  };
}

type SweepPorts = Omit<SweepAssembly, 'sweepPeriodMs' | 'leaseMs' | 'holder' | 'handOver'>;

function sweepsOf(ports: SweepPorts, shared: SharedByFunctions, machine: Machine) {
  const { clock, log, nudges } = ports;
  const { sweepPeriodMs } = shared;
  let ticks = 0;
  const tick = assembleSweeps({
    ...ports,
    sweepPeriodMs,
    leaseMs: shared.leaseMs,
    holder() {
      ticks += 1;
      return `${machine.name}-${ticks}`;
    },
    handOver: (shard) =>
      machine.call({ what: `hand over ${shard}`, act: () => shared.handOver(shard) }),
  });
  const heldSteps = simHeldSteps(shared.held, machine);
  const circuits = simCircuits(shared.circuits, machine);
  const report = simBacklogReport(shared.report, machine);
  const pools = poolsOf(ports.registry.all);
  const countHeld = reportBacklog({ report, heldSteps, circuits, pools, clock, log });
  const nudgeHeld = heldSweep({
    agents: [...shared.around.subject.contracts.map(({ name }) => name), ...pools.keys()],
    ...{ heldSteps, nudges, clock, log, sweepPeriodMs },
  });
  return { tick, nudgeHeld: async () => countHeld(await nudgeHeld()) };
}

const nudgesOf = (shared: SharedByFunctions, machine: Machine): Channels['nudges'] =>
  channelOf(
    shared,
    machine,
    nudgeCodec,
    () => shared.queues.nudges,
    shared.rules.nudging,
    () => {},
    ({ at }) => at,
  );

function requestsOf(
  shared: SharedByFunctions,
  machine: Machine,
  random: Random,
): Channels['requests'] {
  const { queues, rules } = shared;
  return requestsByAgent(
    new Map(
      [...queues.requests].map(([agent, queue]) => {
        const divided = shared.dividedQueues?.get(agent);
        const to = (own: typeof queue) =>
          channelOf(shared, machine, requestCodec, () => own, rules.requesting);
        return [agent, divided === undefined ? to(queue) : anyQueue(divided.map(to), random)];
      }),
    ),
  );
}

const checksOf = (shared: SharedByFunctions, machine: Machine) =>
  channelOf(
    shared,
    machine,
    deadlineCheckCodec,
    () => shared.queues.checks,
    shared.rules.checking,
    () => {},
    ({ at }) => at,
  );
