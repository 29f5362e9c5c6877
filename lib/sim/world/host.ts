/** The shipped roles on a simulated machine, with simulated ports. */

import { nudgeCodec, replyCodec, requestCodec } from '#core/codec/message-codec.ts';
import { type AgentName, schedulerId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { ungatedBreaker } from '#in-process/circuit-breaker.ts';
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
import { channelOf, digest, idsOf, logOf, publisherOf, retriesOf } from './host-ports.ts';
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
  /** Runs the agent's code on this machine. */
  readonly runner: (agent: AgentName) => AgentRunner;
  /** The search that an operator makes before acting. */
  searchErrors(agent: AgentName): Promise<unknown>;
  readonly sweeping: Sweeping;
  /** The number of running invocations. */
  running: number;
  /** Whether it accepts messages yet. */
  ready: boolean;
  /** False where work continues beside invocations. */
  onlyInvoked: boolean;
}

/** A process sweeps by itself once started; a function is invoked for each tick, with leases. */
type Sweeping =
  | { readonly kind: 'by-itself'; readonly start: () => Promise<unknown> }
  | { readonly kind: 'invoked'; readonly tick: () => SweepTick };

/** The response channel of the simulated submitters. */
export const responseChannel = 'submitters';

/** So few that much happens during the recovery after a restart. */
const restartSliceMax = 2;

export function host(machine: Machine, release: Release, shared: SharedInfrastructure): Host {
  const { table, queues, rules, around } = shared;
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
  const channels = {
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
    outageAfterMs: shared.outageAfterMs,
  };
  return {
    machine,
    release,
    log,
    running: 0,
    ready: true,
    onlyInvoked: true,
    ...(shared.oneProcess
      ? processOf(ports, shared, machine)
      : functionsOf(ports, shared, machine, simStore({ ...reached, workMs: shared.recoveryMs }))),
    notifier: assembleNotifier({
      publisher: publisherOf(shared, machine),
      retries: retriesOf(shared, machine),
      log,
    }),
    runner: runnersOf(shared, machine, log),
    searchErrors: (agent) =>
      search(store, { processState: 'Error', limit: 2, cursor: null }, { agent }),
  };
}

type HostPorts = Omit<ProcessAssembly, 'sliceMax' | 'sweepPeriodMs' | 'watchRecords'>;
type Roles = Pick<Host, 'scheduler' | 'submission' | 'operator' | 'sweeping'>;

/** As in lib/runtime/local/local-reeve.ts. */
function processOf(
  ports: HostPorts,
  { sweepPeriodMs, around, recordListeners }: SharedInfrastructure,
  machine: Machine,
): Roles {
  const { scheduler, submission, operator, start } = assembleProcess({
    ...ports,
    sweepPeriodMs,
    sliceMax: around.chance.between(1, restartSliceMax),
    watchRecords(listener) {
      const own = (record: ProcessRecord) => machine.whenAwake(() => listener(record));
      recordListeners.add(own);
      return () => recordListeners.delete(own);
    },
  });
  return { scheduler, submission, operator, sweeping: { kind: 'by-itself', start } };
}

/**
 * As the functions in lambdas.
 *
 * @param sweptStore the store as the Supervisor accesses it
 */
function functionsOf(
  ports: HostPorts,
  shared: SharedInfrastructure,
  machine: Machine,
  sweptStore: StateStore,
): Roles {
  let ticks = 0;
  const nudging = { ...ports, nudges: ports.channels.nudges };
  const tick = assembleSweeps({
    ...nudging,
    store: sweptStore,
    coordination: simCoordination(shared.coordination, machine),
    sweepPeriodMs: shared.sweepPeriodMs,
    leaseMs: shared.leaseMs,
    holder() {
      ticks += 1;
      return `${machine.name}-${ticks}`;
    },
    handOver: (shard) =>
      machine.call({ what: `hand over ${shard}`, act: () => shared.handOver(shard) }),
  });
  return {
    scheduler: assembleScheduler(ports),
    submission: assembleSubmission(nudging),
    operator: assembleOperator(nudging),
    sweeping: { kind: 'invoked', tick },
  };
}

function runnersOf(shared: SharedInfrastructure, machine: Machine, log: Log): Host['runner'] {
  const { queues, rules, around, services } = shared;
  const runners = new Map<string, AgentRunner>();
  for (const [agent, queue] of queues.replies) {
    const runner = assembleAgent(implementation(agent, machine, services), {
      repliesOf: () =>
        channelOf(
          shared,
          machine,
          replyCodec,
          () => queue,
          (sent) => rules.replying(agent, sent, machine),
          rules.unanswered,
        ),
      breakerFor: () => ungatedBreaker(machine.clock),
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
