/** The shipped roles on a simulated machine, with simulated ports. */

import { probeChecker } from '#checkers/probe-checker.ts';
import {
  deadlineCheckCodec,
  nudgeCodec,
  replyCodec,
  requestCodec,
} from '#core/codec/message-codec.ts';
import { type AgentName, schedulerId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { heldStarter } from '#distributed/held-starter.ts';
import { heldSweep } from '#distributed/held-sweep.ts';
import { sharedCircuitBreaker } from '#distributed/shared-circuit-breaker.ts';
import { sharedGates } from '#distributed/shared-gates.ts';
import type { Channels } from '#ports/channels.ts';
import type { Log } from '#ports/log.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { AgentRunner } from '#roles/agent-runner.ts';
import {
  assembleAgent,
  assembleDeadlineChecks,
  assembleNotifier,
  assembleOperator,
  assembleScheduler,
  assembleSubmission,
  assembleSweeps,
} from '#roles/assemble.ts';
import type { Notifier } from '#roles/notifier.ts';
import type { Operator } from '#roles/operator.ts';
import type { DeadlineChecks } from '#roles/recovery/deadline-checks.ts';
import { agentMissing, requestsByAgent } from '#roles/requests-by-agent.ts';
import type { Scheduler } from '#roles/scheduler.ts';
import { search } from '#roles/search.ts';
import type { Submission } from '#roles/submission.ts';
import type { SweepTick } from '#roles/sweep-tick.ts';
import { simBreaker } from '#sim/ports/sim-breaker.ts';
import { simCoordination } from '#sim/ports/sim-coordination.ts';
import { simCircuits, simHeldSteps, simRequestBacklog } from '#sim/ports/sim-flow.ts';
import { simStore } from '#sim/ports/sim-store.ts';
import { channelOf, digest, idsOf, logOf, publisherOf, retriesOf } from './host-ports.ts';
import type { Machine } from './machine.ts';
import { type ProcessPorts, type ProcessRoles, processOf } from './one-process.ts';
import type { SharedInfrastructure } from './shared-infrastructure.ts';
import { contracts, implementation, type Release, registries } from './sim-workflows.ts';

export interface Host {
  readonly machine: Machine;
  readonly release: Release;
  readonly log: Log;
  readonly scheduler: Scheduler;
  readonly submission: Submission;
  readonly operator: Operator;
  readonly onChecks: DeadlineChecks['onChecks'];
  readonly notifier: Notifier;
  /** Runs the agent's code on this machine. */
  readonly runner: (agent: AgentName) => AgentRunner;
  /** Tells a process of a durable write. `before`: the revision that it replaced; null for a new order. */
  readonly onRecord: (record: ProcessRecord, before: ProcessRecord | null) => void;
  /** Checks what it has left undone. */
  atEnd(): void;
  /** The search that an operator makes before acting. */
  searchErrors(agent: AgentName): Promise<unknown>;
  readonly sweeping: Sweeping;
  /** The number of running invocations, and of messages in the channels of the process. */
  running: number;
  /** Whether it accepts messages yet. */
  ready: boolean;
  /** False where work continues beside invocations. */
  onlyInvoked: boolean;
}

/** A process sweeps by itself once started; a function is invoked for each tick, with leases. */
type Sweeping =
  | { readonly kind: 'by-itself'; readonly start: () => Promise<unknown> }
  | {
      readonly kind: 'invoked';
      readonly tick: () => SweepTick;
      readonly nudgeHeld: () => Promise<void>;
    };

/** The response channel of the simulated submitters. */
export const responseChannel = 'submitters';

export function host(machine: Machine, release: Release, shared: SharedInfrastructure): Host {
  const { table, rules, around } = shared;
  const { clock } = machine;
  const log = logOf(machine, around);
  const reached = {
    table,
    machine,
    faults: around.faults,
    operations: shared.observer.operations,
    rules,
    unreadable: shared.unreadable,
    outage: shared.storeOutage,
  };
  const store = simStore({ ...reached, workMs: 0 });
  const ports: ProcessPorts = {
    id: schedulerId(machine.name),
    store,
    clock,
    ids: idsOf(machine),
    random: around.chance,
    log,
    registry: registries[release],
    digest,
    responseChannels: [responseChannel],
    outageAfterMs: shared.outageAfterMs,
  };
  const own: Host = {
    machine,
    release,
    log,
    running: 0,
    ready: true,
    onlyInvoked: true,
    ...(shared.oneProcess
      ? processOf(ports, shared, machine, (by) => {
          own.running += by;
        })
      : functionsOf(ports, shared, machine, simStore({ ...reached, workMs: shared.recoveryMs }))),
    notifier: assembleNotifier({
      publisher: publisherOf(shared, machine),
      retries: retriesOf(shared, machine),
      log,
    }),
    searchErrors: (agent) =>
      search(store, { processState: 'Error', limit: 2, cursor: null }, { agent }),
  };
  return own;
}

/**
 * As the functions in lambdas.
 *
 * @param sweptStore the store as the Supervisor accesses it
 */
function functionsOf(
  ports: ProcessPorts,
  shared: SharedInfrastructure,
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
  const gates = sharedGates({
    instance: machine.name,
    limited: shared.limitedAgents,
    circuits: simCircuits(shared.circuits, machine),
    backlog: simRequestBacklog(shared.queues, machine),
    clock: ports.clock,
    log: ports.log,
  });
  const heldSteps = simHeldSteps(shared.table, machine);
  return {
    scheduler: assembleScheduler({
      ...ports,
      ...prompt,
      channels,
      gates,
      heldSteps: heldStarter({ gates, heldSteps, log: ports.log }),
    }),
    onChecks: assembleDeadlineChecks({
      ...nudging,
      checks,
      coordination,
      shards: shared.table.shards,
    }).onChecks,
    submission: assembleSubmission(nudging),
    operator: assembleOperator(nudging),
    sweeping: {
      kind: 'invoked',
      tick,
      nudgeHeld: heldSweep({
        agents: contracts.map(({ name }) => name),
        heldSteps,
        nudges: channels.nudges,
        clock: ports.clock,
        log: ports.log,
        sweepPeriodMs: shared.sweepPeriodMs,
      }),
    },
    runner: runnersOf(shared, machine, ports.log),
    onRecord() {},
    atEnd() {},
  };
}

function channelsOf(shared: SharedInfrastructure, machine: Machine): Channels {
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
        [...queues.requests].map(([agent, queue]) => [
          agent,
          channelOf(shared, machine, requestCodec, () => queue, rules.requesting),
        ]),
      ),
    ),
  };
}

const checksOf = (shared: SharedInfrastructure, machine: Machine) =>
  channelOf(
    shared,
    machine,
    deadlineCheckCodec,
    () => shared.queues.checks,
    shared.rules.checking,
    () => {},
    ({ at }) => at,
  );

function runnersOf(shared: SharedInfrastructure, machine: Machine, log: Log): Host['runner'] {
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
