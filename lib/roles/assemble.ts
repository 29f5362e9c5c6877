/**
 * The one place where roles are put together. Lambda functions, the embedded process and the simulator give
 * their ports and take roles; none of them calls a role's own factory (`test/tidy.test.ts` checks it). So what
 * lives how long is decided here:
 *
 * 1. As long as the process, or the environment of a function: each role, and the ports it was given. No role
 *    keeps anything of an order between two calls, so that any call may be the first of its process.
 * 2. As long as an invocation: a sweep tick. Its holder names it in the leases, and no two ticks may have one name.
 * 3. As long as a batch: what `transitions` has loaded, and the commands that it will send.
 *
 * There is one function for each role, so that a function's bundle carries the roles that it calls and no others.
 */
import { ReeveError } from '#core/model/errors.ts';
import type { OrderId, SchedulerId } from '#core/model/ids.ts';
import type { Nudge } from '#core/model/message.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import type { Breaker } from '#ports/breaker.ts';
import type { Channel, Channels, ReplyChannel } from '#ports/channels.ts';
import { type AgentRunner, type AgentRunnerPorts, agentRunner } from './agent-runner.ts';
import { type Notifier, type NotifierPorts, notifier } from './notifier.ts';
import { type Operator, operator } from './operator.ts';
import { periodicSweep, type SweepTimer } from './periodic-sweep.ts';
import {
  afterRestart,
  operatorAfterRestart,
  type Restart,
  type RestartPorts,
  restart,
} from './restart.ts';
import { type Scheduler, scheduler } from './scheduler.ts';
import { type Submission, type SubmissionPorts, submission } from './submission.ts';
import { type Supervisor, type SupervisorPorts, supervisor } from './supervisor.ts';
import { type SweepTick, type SweepTickPorts, sweepTick } from './sweep-tick.ts';
import { type TransitionPorts, type Transitions, transitions } from './transitions.ts';

export interface SchedulerAssembly extends TransitionPorts {
  /** Names the process in the locks of orders. */
  readonly id: SchedulerId;
}

export function assembleScheduler({ id, ...ports }: SchedulerAssembly): Scheduler {
  return scheduler({ id, transitions: transitions(ports), log: ports.log });
}

/** What a role that starts no steps sends: steps are started by a claim, and only the Scheduler claims. */
export type NudgingPorts<Ports extends { readonly channels: Channels }> = Omit<
  Ports,
  'channels'
> & {
  readonly nudges: Channel<Nudge>;
};

const nudgesOnly = (nudges: Channel<Nudge>): Channels => ({
  nudges,
  requests: {
    async send() {
      throw new ReeveError('not-a-scheduler', 'This role starts no steps. Please report this.');
    },
  },
});

const nudgingTransitions = ({ nudges, ...ports }: NudgingPorts<TransitionPorts>): Transitions =>
  transitions({ ...ports, channels: nudgesOnly(nudges) });

export interface SweepAssembly
  extends NudgingPorts<TransitionPorts>,
    Pick<SupervisorPorts, 'outageAfterMs'>,
    Pick<SweepTickPorts, 'coordination' | 'handOver' | 'leaseMs'> {
  /** A name that no other tick has: called once for each invocation. */
  readonly holder: () => string;
}

/** Gives the sweep tick of one invocation, at each call a new one. */
export function assembleSweeps(ports: SweepAssembly): () => SweepTick {
  const role = supervisor({ ...ports, transitions: nudgingTransitions(ports) });
  return () => sweepTick({ ...ports, supervisor: role, holder: ports.holder() });
}

export function assembleSubmission({
  nudges,
  ...ports
}: NudgingPorts<SubmissionPorts>): Submission {
  return submission({ ...ports, channels: nudgesOnly(nudges) });
}

export function assembleOperator(ports: NudgingPorts<TransitionPorts>): Operator {
  return operator(nudgingTransitions(ports));
}

export function assembleNotifier(ports: NotifierPorts): Notifier {
  return notifier(ports);
}

export interface AgentAssembly extends Omit<AgentRunnerPorts, 'replies' | 'breaker'> {
  /** The circuit breaker of an agent's remote service: one for the life of the process. */
  readonly breakerFor: (agent: string) => Breaker;
  readonly repliesOf: (agent: AgentImplementation) => ReplyChannel;
}

/** @throws {DefinitionError} `undo-mismatch` when contract and code disagree about undo */
export function assembleAgent(
  agent: AgentImplementation,
  { breakerFor, repliesOf, ...ports }: AgentAssembly,
): { readonly runner: AgentRunner; readonly breaker: Breaker } {
  const breaker = breakerFor(agent.contract.name);
  return { runner: agentRunner(agent, { ...ports, breaker, replies: repliesOf(agent) }), breaker };
}

export interface ProcessAssembly
  extends SchedulerAssembly,
    SubmissionPorts,
    Pick<SupervisorPorts, 'outageAfterMs'>,
    Pick<RestartPorts, 'sliceMax'> {
  readonly sweepPeriodMs: number;
}

/** All roles in one process, which is the only one on its store. */
export interface ProcessRoles {
  readonly scheduler: Scheduler;
  readonly submission: Submission;
  readonly operator: Operator;
  readonly supervisor: Supervisor;
  readonly restart: Pick<Restart, 'done' | 'isDone' | 'stop'>;
  /**
   * Finds what the former process left, then begins to sweep: no sweep may meet an order that the restart does not
   * know. Nothing may change an order before it resolves.
   *
   * @throws {UnavailableError} `sweep-unwritten` when what was left cannot be written: do not start
   */
  start(): Promise<Started>;
}

export interface Started {
  /** What the former process left alive. */
  readonly left: readonly OrderId[];
  readonly sweeps: SweepTimer;
}

export function assembleProcess(ports: ProcessAssembly): ProcessRoles {
  const { id, clock, log, outageAfterMs } = ports;
  const committed = transitions(ports);
  const restarted = restart({ ...ports, transitions: committed });
  const role = supervisor({
    store: restarted.sweptStore,
    transitions: committed,
    clock,
    log,
    outageAfterMs,
  });
  return {
    scheduler: afterRestart(restarted, scheduler({ id, transitions: committed, log })),
    submission: submission(ports),
    operator: operatorAfterRestart(restarted, operator(committed)),
    supervisor: role,
    restart: restarted,
    async start() {
      const left = await restarted.begin();
      return { left, sweeps: periodicSweep(role, clock, ports.sweepPeriodMs, log) };
    },
  };
}
