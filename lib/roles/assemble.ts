/**
 * The one place that assembles roles. Lambda functions, the embedded process and the simulator pass their ports and
 * get roles; none of them calls the factory of a role (`test/tidy.test.ts` checks it). So this file decides lifetimes:
 *
 * 1. Of the process, or the environment of a function: each role and its ports. No role keeps state of an order
 *    between two calls, so any call may be the first of its process.
 * 2. Of an invocation: a sweep tick. Its holder names it in the leases; no two ticks may share a name.
 * 3. Of a batch: the records that `transitions` has loaded, and the commands that it will send.
 *
 * Each role has its own function, so that the bundle of a Lambda function contains only the roles that it calls.
 */
import { ReeveError } from '#core/model/errors.ts';
import type { OrderId, SchedulerId } from '#core/model/ids.ts';
import type { Nudge } from '#core/model/message.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import type { Breaker } from '#ports/breaker.ts';
import type { Channel, Channels, ReplyChannel } from '#ports/channels.ts';
import { type AgentRunner, type AgentRunnerPorts, agentRunner } from './agent/agent-runner.ts';
import { type AgentControl, type AgentControlPorts, agentControl } from './agent-control.ts';
import { type LimitControl, type LimitControlPorts, limitControl } from './limit-control.ts';
import { type Notifier, type NotifierPorts, notifier } from './notifier.ts';
import { type Operator, operator } from './operator.ts';
import { periodicSweep, type SweepTimer } from './periodic-sweep.ts';
import {
  type DeadlineCheckPorts,
  type DeadlineChecks,
  deadlineChecks,
} from './recovery/deadline-checks.ts';
import { type DueTimerPorts, dueTimer } from './recovery/due-timer.ts';
import { type LookAheadPorts, lookAhead } from './recovery/look-ahead.ts';
import { afterRestart, operatorAfterRestart } from './recovery/roles-after-restart.ts';
import { leavingWaitingReplies, type WaitingReplyPorts } from './recovery/waiting-replies.ts';
import { type Restart, type RestartPorts, restart } from './restart.ts';
import { type HeldStarter, type Scheduler, scheduler } from './scheduler.ts';
import { type LineKeeper, lineKeeper } from './singleton/line-keeper.ts';
import {
  type SubmissionBatch,
  type SubmissionBatchPorts,
  submissionBatch,
} from './submission/submission-batch.ts';
import { type Submission, type SubmissionPorts, submission } from './submission.ts';
import { type Supervisor, type SupervisorPorts, supervisor } from './supervisor.ts';
import { type SweepTick, type SweepTickPorts, sweepTick } from './sweep-tick.ts';
import { type TransitionPorts, type Transitions, transitions } from './transitions/transitions.ts';

/** The ports of {@link assembleScheduler}. */
export interface SchedulerAssembly extends TransitionPorts {
  /** Names the process in the locks of orders. */
  readonly id: SchedulerId;
}

/** Makes a Scheduler: the only role that starts steps. `heldSteps`: for a Scheduler of several instances. */
export function assembleScheduler({
  id,
  heldSteps,
  ...ports
}: SchedulerAssembly & { readonly heldSteps?: HeldStarter }): Scheduler {
  const { clock, log } = ports;
  const committed = transitions(ports);
  const lines = linesOf(ports, operator(committed));
  const of = { id, transitions: committed, lines, clock, log };
  return scheduler(heldSteps === undefined ? of : { ...of, heldSteps });
}

const linesOf = (
  { store, channels: { nudges }, clock, random }: TransitionPorts,
  operatorRole: Operator,
): LineKeeper => lineKeeper({ store, nudges, clock, random, operator: operatorRole });

/** The ports of a role that sends nudges only: a claim starts steps, and only the Scheduler claims. */
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

/** Of the Supervisor: it ends calls that are late, unless their replies wait. */
const recoveringTransitions = (
  ports: NudgingPorts<TransitionPorts> & Pick<WaitingReplyPorts, 'replyDelays'>,
): Transitions => leavingWaitingReplies({ ...ports, transitions: nudgingTransitions(ports) });

/** The ports of {@link assembleSweeps}. */
export interface SweepAssembly
  extends NudgingPorts<TransitionPorts>,
    Pick<WaitingReplyPorts, 'replyDelays'>,
    Pick<SupervisorPorts, 'outageAfterMs' | 'recoveryPerSecond'>,
    Pick<SweepTickPorts, 'coordination' | 'handOver' | 'leaseMs'>,
    Pick<LookAheadPorts, 'sweepPeriodMs'> {
  /** Returns a name that no other tick has; called once per invocation. */
  readonly holder: () => string;
}

/** Returns a factory of sweep ticks; call it once per invocation. */
export function assembleSweeps(ports: SweepAssembly): () => SweepTick {
  const role = supervisor({ ...ports, transitions: recoveringTransitions(ports) });
  const ahead = (shard: number) => lookAhead(ports, shard);
  return () => sweepTick({ ...ports, supervisor: role, holder: ports.holder(), lookAhead: ahead });
}

/** The ports of {@link assembleDeadlineChecks}. */
export interface DeadlineCheckAssembly
  extends Omit<NudgingPorts<TransitionPorts>, 'checks'>,
    Pick<WaitingReplyPorts, 'replyDelays'>,
    Omit<DeadlineCheckPorts, 'transitions'> {}

/** Makes the handler of deadline checks. */
export function assembleDeadlineChecks(ports: DeadlineCheckAssembly): DeadlineChecks {
  return deadlineChecks({ ...ports, transitions: recoveringTransitions(ports) });
}

/** Makes the submission role. */
export function assembleSubmission({
  nudges,
  ...ports
}: NudgingPorts<SubmissionPorts>): Submission {
  return submission({ ...ports, channels: nudgesOnly(nudges) });
}

/** Makes the bulk submission. */
export function assembleSubmissionBatch(ports: SubmissionBatchPorts): SubmissionBatch {
  return submissionBatch(ports);
}

/** Makes the operator role. */
export function assembleOperator(ports: NudgingPorts<TransitionPorts>): Operator {
  return operator(nudgingTransitions(ports));
}

/** Makes the role that changes agents while orders run. */
export function assembleAgentControl(ports: AgentControlPorts): AgentControl {
  return agentControl(ports);
}

/** Makes the control of limits. */
export function assembleLimitControl(ports: LimitControlPorts): LimitControl {
  return limitControl(ports);
}

/** Makes the notifier. */
export function assembleNotifier(ports: NotifierPorts): Notifier {
  return notifier(ports);
}

/** The ports of {@link assembleAgent}. */
export interface AgentAssembly extends Omit<AgentRunnerPorts, 'replies' | 'breaker'> {
  /** The circuit breaker of the agent's remote service; the same one for the life of the process. */
  readonly breakerFor: (agent: string) => Breaker;
  readonly repliesOf: (agent: AgentImplementation) => ReplyChannel;
}

/**
 * Makes the runner of one agent.
 *
 * @throws {DefinitionError} `undo-mismatch` when contract and code disagree about undo; `endpoints-invalid`
 */
export function assembleAgent(
  agent: AgentImplementation,
  { breakerFor, repliesOf, ...ports }: AgentAssembly,
): AgentRunner {
  const breaker = breakerFor(agent.contract.name);
  return agentRunner(agent, { ...ports, breaker, replies: repliesOf(agent) });
}

/** The ports of {@link assembleProcess}. */
export interface ProcessAssembly
  extends SchedulerAssembly,
    SubmissionPorts,
    Pick<SupervisorPorts, 'outageAfterMs'>,
    Pick<RestartPorts, 'rampPerSecond' | 'sliceMax'>,
    Pick<DueTimerPorts, 'watchRecords'> {
  /** From the end of one sweep to the start of the next, ms. */
  readonly sweepPeriodMs: number;
}

/** All roles in one process; no other process may use its store. */
export interface ProcessRoles {
  readonly scheduler: Scheduler;
  readonly submission: Submission;
  readonly operator: Operator;
  readonly supervisor: Supervisor;
  readonly restart: Pick<Restart, 'done' | 'isDone' | 'stop'>;
  /**
   * Finds the live orders of the former process, then starts the sweeps: no sweep may reach an order that the restart
   * does not know. Nothing may change an order before this resolves.
   *
   * @throws {UnavailableError} `sweep-unwritten` when those orders cannot be written: do not start
   */
  start(): Promise<Started>;
}

/** The result of {@link ProcessRoles.start}. */
export interface Started {
  /** The live orders of the former process, in due order. */
  readonly left: readonly OrderId[];
  readonly sweeps: SweepTimer;
}

/** Makes all roles of one process. Call `start` before any of them. */
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
    uninterrupted: restarted.uninterrupted,
  });
  const operatorRole = operatorAfterRestart(restarted, operator(committed));
  const lines = linesOf(ports, operatorRole);
  const schedulerRole = scheduler({ id, transitions: committed, lines, clock, log });
  return {
    scheduler: afterRestart(restarted, schedulerRole),
    submission: submission(ports),
    operator: operatorRole,
    supervisor: role,
    restart: restarted,
    async start() {
      const left = await restarted.begin();
      const sweeps = periodicSweep(role, clock, ports.sweepPeriodMs, log, () => timer.lookAhead());
      const timer = dueTimer({
        ...ports,
        nudges: ports.channels.nudges,
        async recover(orderIds) {
          if (sweeps.isAfterOutage()) return;
          await restarted.interruptNow(orderIds);
          await role.recover(orderIds, sweeps.isAfterOutage);
        },
      });
      await timer.lookAhead();
      return {
        left,
        sweeps: {
          ...sweeps,
          stop() {
            timer.stop();
            sweeps.stop();
          },
        },
      };
    },
  };
}
