/** The roles that ship, on a simulated machine: each port is one of the simulation's, all else is real. */

import { nudgeCodec, replyCodec, requestCodec } from '#core/codec/message-codec.ts';
import { type AgentName, schedulerId } from '#core/model/ids.ts';
import type { Log } from '#ports/log.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { AgentRunner } from '#roles/agent-runner.ts';
import {
  assembleAgent,
  assembleNotifier,
  assembleOperator,
  assembleProcess,
  assembleScheduler,
  assembleSubmission,
  assembleSweeps,
  type ProcessAssembly,
} from '#roles/assemble.ts';
import type { Notifier } from '#roles/notifier.ts';
import type { Operator } from '#roles/operator.ts';
import { agentMissing, requestsByAgent } from '#roles/requests-by-agent.ts';
import type { Scheduler } from '#roles/scheduler.ts';
import { search } from '#roles/search.ts';
import type { Submission } from '#roles/submission.ts';
import type { SweepTick } from '#roles/sweep-tick.ts';
import { simCoordination } from '#sim/ports/sim-coordination.ts';
import { simStore } from '#sim/ports/sim-store.ts';
import {
  channelOf,
  digest,
  idsOf,
  logOf,
  publisherOf,
  retriesOf,
  simBreaker,
} from './host-ports.ts';
import type { Machine } from './machine.ts';
import type { SharedInfrastructure } from './shared-infrastructure.ts';
import { implementation, type Release, registries } from './sim-workflows.ts';

export interface Host {
  readonly machine: Machine;
  readonly release: Release;
  readonly log: Log;
  readonly scheduler: Scheduler;
  readonly submission: Submission;
  readonly operator: Operator;
  readonly notifier: Notifier;
  /** Runs the agent's code on it. */
  readonly runner: (agent: AgentName) => AgentRunner;
  /** What an operator looks for before acting. */
  searchErrors(agent: AgentName): Promise<unknown>;
  readonly sweeping: Sweeping;
  /** How many invocations run on it. */
  running: number;
  /** Whether it takes anything yet. */
  ready: boolean;
  /** False where something goes on by itself, beside what is invoked. */
  onlyInvoked: boolean;
}

/** One process sweeps by itself once it is started; a function is invoked for each tick, under leases. */
type Sweeping =
  | { readonly kind: 'by-itself'; readonly start: () => Promise<unknown> }
  | { readonly kind: 'invoked'; readonly tick: () => SweepTick };

/** The channel that submitters of the simulation listen to. */
export const responseChannel = 'submitters';

/** So few, or one by one, that much happens while the recovery after a restart goes on. */
const restartSliceMax = 2;

export function host(machine: Machine, release: Release, plant: SharedInfrastructure): Host {
  const { table, queues, rules, around } = plant;
  const { clock } = machine;
  const log = logOf(machine, around);
  const reached = {
    table,
    machine,
    faults: around.faults,
    operations: plant.witness.operations,
    rules,
    unreadable: plant.unreadable,
    outage: plant.storeOutage,
  };
  const store = simStore({ ...reached, workMs: 0 });
  const channels = {
    nudges: channelOf(plant, machine, nudgeCodec, () => queues.nudges, rules.nudging),
    requests: requestsByAgent(
      new Map(
        [...queues.requests].map(([agent, queue]) => [
          agent,
          channelOf(plant, machine, requestCodec, () => queue, rules.requesting),
        ]),
      ),
    ),
  };
  const ports: HostPorts = {
    id: schedulerId(machine.name),
    store,
    channels,
    clock,
    ids: idsOf(machine),
    random: around.chance,
    log,
    registry: registries[release],
    digest,
    responseChannels: [responseChannel],
    outageAfterMs: plant.outageAfterMs,
  };
  return {
    machine,
    release,
    log,
    running: 0,
    ready: true,
    onlyInvoked: true,
    ...(plant.oneProcess
      ? processOf(ports, plant)
      : functionsOf(ports, plant, machine, simStore({ ...reached, workMs: plant.recoveryMs }))),
    notifier: assembleNotifier({
      publisher: publisherOf(plant, machine),
      retries: retriesOf(plant, machine),
      log,
    }),
    runner: runnersOf(plant, machine, log),
    searchErrors: (agent) =>
      search(store, { processState: 'Error', limit: 2, cursor: null }, { agent }),
  };
}

type HostPorts = Omit<ProcessAssembly, 'sliceMax' | 'sweepPeriodMs'>;
type Roles = Pick<Host, 'scheduler' | 'submission' | 'operator' | 'sweeping'>;

/** As lib/runtime/local/local-reeve.ts. */
function processOf(ports: HostPorts, { sweepPeriodMs, around }: SharedInfrastructure): Roles {
  const { scheduler, submission, operator, start } = assembleProcess({
    ...ports,
    sweepPeriodMs,
    sliceMax: around.chance.between(1, restartSliceMax),
  });
  return { scheduler, submission, operator, sweeping: { kind: 'by-itself', start } };
}

/**
 * As the functions in lambdas.
 *
 * @param sweptStore the store as the Supervisor reaches it
 */
function functionsOf(
  ports: HostPorts,
  plant: SharedInfrastructure,
  machine: Machine,
  sweptStore: StateStore,
): Roles {
  let ticks = 0;
  const nudging = { ...ports, nudges: ports.channels.nudges };
  const tick = assembleSweeps({
    ...nudging,
    store: sweptStore,
    coordination: simCoordination(plant.coordination, machine),
    leaseMs: plant.leaseMs,
    holder() {
      ticks += 1;
      return `${machine.name}-${ticks}`;
    },
    handOver: (shard) =>
      machine.call({ what: `hand over ${shard}`, act: () => plant.handOver(shard) }),
  });
  return {
    scheduler: assembleScheduler(ports),
    submission: assembleSubmission(nudging),
    operator: assembleOperator(nudging),
    sweeping: { kind: 'invoked', tick },
  };
}

function runnersOf(plant: SharedInfrastructure, machine: Machine, log: Log): Host['runner'] {
  const { queues, rules, around, services } = plant;
  const runners = new Map<string, AgentRunner>();
  for (const [agent, queue] of queues.replies) {
    const { runner } = assembleAgent(implementation(agent, machine, services), {
      repliesOf: () =>
        channelOf(
          plant,
          machine,
          replyCodec,
          () => queue,
          (sent) => rules.replying(agent, sent, machine),
          rules.unanswered,
        ),
      breakerFor: () => simBreaker(machine.clock),
      clock: machine.clock,
      random: around.chance,
      log,
    });
    runners.set(agent, runner);
  }
  return (agent) => {
    const runner = runners.get(agent);
    if (runner === undefined) throw agentMissing(agent);
    return runner;
  };
}
