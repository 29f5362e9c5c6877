/** Reeve as the functions in lambdas compose it: what they share is in tables and queues. */

import { probeChecker } from '#checkers/probe-checker.ts';
import {
  deadlineCheckCodec,
  nudgeCodec,
  replyCodec,
  requestCodec,
} from '#core/codec/message-codec.ts';
import { anyQueue } from '#distributed/any-queue.ts';
import { heldStarter } from '#distributed/held-starter.ts';
import { heldSweep } from '#distributed/held-sweep.ts';
import { reportBacklog } from '#distributed/report-backlog.ts';
import { sharedAdmission } from '#distributed/shared-admission.ts';
import { sharedCircuitBreaker } from '#distributed/shared-circuit-breaker.ts';
import { sharedGates } from '#distributed/shared-gates.ts';
import type { Channels } from '#ports/channels.ts';
import type { Log } from '#ports/log.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { AgentRunner } from '#roles/agent-runner.ts';
import {
  assembleAgent,
  assembleDeadlineChecks,
  assembleOperator,
  assembleScheduler,
  assembleSubmission,
  assembleSweeps,
} from '#roles/assemble.ts';
import { agentMissing, requestsByAgent } from '#roles/requests-by-agent.ts';
import { simFlowOf } from '#sim/ports/held-index.ts';
import { simBreaker } from '#sim/ports/sim-breaker.ts';
import { simCoordination } from '#sim/ports/sim-coordination.ts';
import {
  simBacklogReport,
  simCircuits,
  simHeldSteps,
  simRequestBacklog,
} from '#sim/ports/sim-flow.ts';
import type { Host } from './host.ts';
import { channelOf } from './host-ports.ts';
import type { Machine } from './machine.ts';
import type { ProcessPorts, ProcessRoles } from './one-process.ts';
import type { SharedByFunctions } from './shared-infrastructure.ts';
import { contracts, implementation } from './sim-workflows.ts';

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
  let ticks = 0;
  const channels = channelsOf(shared, machine);
  const nudging = { ...ports, nudges: channels.nudges };
  const checks = checksOf(shared, machine);
  const prompt = shared.recovery === 'prompt' ? { checks } : {};
  const coordination = simCoordination(shared.coordination, machine);
  const tick = assembleSweeps({
    ...nudging,
    ...prompt,
    store: sweptStore,
    coordination,
    sweepPeriodMs: shared.sweepPeriodMs,
    leaseMs: shared.leaseMs,
    holder() {
      ticks += 1;
      return `${machine.name}-${ticks}`;
    },
    handOver: (shard) =>
      machine.call({ what: `hand over ${shard}`, act: () => shared.handOver(shard) }),
  });
  const circuits = simCircuits(shared.circuits, machine);
  const gates = sharedGates({
    instance: machine.name,
    limited: shared.limitedAgents,
    circuits,
    backlog: simRequestBacklog(shared.queues, machine),
    clock: ports.clock,
    log: ports.log,
  });
  const heldSteps = simHeldSteps(shared.held, machine);
  const { clock, log, registry } = ports;
  const { sweepPeriodMs } = shared;
  const report = simBacklogReport(shared.report, machine);
  const countHeld = reportBacklog({ report, heldSteps, circuits, clock, log });
  const nudgeHeld = heldSweep({
    agents: contracts.map(({ name }) => name),
    heldSteps,
    nudges: channels.nudges,
    ...{ clock, log, sweepPeriodMs },
  });
  return {
    scheduler: assembleScheduler({
      ...ports,
      ...prompt,
      channels,
      gates,
      heldSteps: heldStarter({ gates, heldSteps, clock, random: ports.random, log }),
    }),
    onChecks: assembleDeadlineChecks({
      ...nudging,
      checks,
      coordination,
      shards: shared.table.shards,
    }).onChecks,
    queuedSubmission: assembleSubmission(nudging),
    submission: assembleSubmission({
      ...nudging,
      admission: sharedAdmission({
        ...shared.backlog,
        ...{ report, registry, clock, log, sweepPeriodMs },
        flowOf: simFlowOf,
        readEveryOrders: shared.readEveryOrders,
      }),
    }),
    operator: assembleOperator(nudging),
    sweeping: {
      kind: 'invoked',
      tick,
      nudgeHeld: async () => countHeld(await nudgeHeld()),
    },
    runner: runnersOf(shared, machine, ports.log),
    onRecord() {},
    atEnd() {},
  };
}

function channelsOf(shared: SharedByFunctions, machine: Machine): Channels {
  const { queues, rules } = shared;
  return {
    nudges: channelOf(
      shared,
      machine,
      nudgeCodec,
      () => queues.nudges,
      rules.nudging,
      () => {},
      ({ at }) => at,
    ),
    requests: requestsByAgent(
      new Map(
        [...queues.requests].map(([agent, queue]) => {
          const divided = shared.dividedQueues?.get(agent) ?? [queue];
          const channels = divided.map((own) =>
            channelOf(shared, machine, requestCodec, () => own, rules.requesting),
          );
          return [agent, anyQueue(channels)];
        }),
      ),
    ),
  };
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

function runnersOf(shared: SharedByFunctions, machine: Machine, log: Log): Host['runner'] {
  const { queues, rules, around } = shared;
  const runners = new Map<string, AgentRunner>();
  for (const [agent, queue] of queues.replies) {
    const breaker = sharedCircuitBreaker({
      agent,
      instance: machine.name,
      circuits: simCircuits(shared.circuits, machine),
      clock: machine.clock,
      log,
    });
    const probes = probeChecker(breaker.state, shared.breach);
    const runner = assembleAgent(implementation(agent, machine, shared), {
      repliesOf: () =>
        channelOf(
          shared,
          machine,
          replyCodec,
          () => queue,
          (sent) => rules.replying(agent, sent, machine),
          rules.unanswered,
        ),
      breakerFor: () => simBreaker(agent, breaker, around, probes),
      clock: machine.clock,
      random: around.chance,
      log,
    });
    runners.set(agent, {
      async handle(request, isFirst) {
        const delivery = await runner.handle(request, isFirst);
        // As lambdas/agent-handler.ts does before its instance may be suspended.
        await breaker.stored();
        return delivery;
      },
    });
  }
  return (agent) => {
    const runner = runners.get(agent);
    if (runner === undefined) throw agentMissing(agent);
    return runner;
  };
}
