/** The shipped roles on a simulated machine, with simulated ports. */

import { type AgentName, schedulerId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { ReplyDelayNotes } from '#distributed/reply-delay-notes.ts';
import type { Log } from '#ports/log.ts';
import type { AgentRunner } from '#roles/agent/agent-runner.ts';
import type { AgentControl } from '#roles/agent-control.ts';
import { assembleNotifier } from '#roles/assemble.ts';
import type { LimitControl } from '#roles/limit-control.ts';
import type { Notifier } from '#roles/notifier.ts';
import type { Operator } from '#roles/operator.ts';
import type { DeadlineChecks } from '#roles/recovery/deadline-checks.ts';
import type { Scheduler } from '#roles/scheduler.ts';
import { search } from '#roles/search.ts';
import type { Submission } from '#roles/submission.ts';
import type { SweepTick } from '#roles/sweep-tick.ts';
import { type Release, responseChannel } from '#sim/orders/subject.ts';
import { simStore } from '#sim/ports/sim-store.ts';
import { functionsOf } from './deployed-functions.ts';
import { digest, idsOf, logOf, publisherOf, retriesOf } from './host-ports.ts';
import type { Machine } from './machine.ts';
import { type ProcessPorts, processOf } from './one-process.ts';
import type { SharedInfrastructure } from './shared-infrastructure.ts';

/** What operators change while orders run. */
export interface Controls {
  readonly agents: AgentControl;
  readonly limits: LimitControl;
}

export interface Host {
  readonly machine: Machine;
  readonly release: Release;
  readonly log: Log;
  readonly scheduler: Scheduler;
  readonly submission: Submission;
  /** Of submissions from a queue. */
  readonly queuedSubmission: Submission;
  readonly operator: Operator;
  /** Null: in this world, operators change nothing of agents and limits. */
  readonly controls: Controls | null;
  readonly onChecks: DeadlineChecks['onChecks'];
  readonly notifier: Notifier;
  /** Runs the agent's code on this machine. */
  readonly runner: (agent: AgentName) => AgentRunner;
  /** A batch came, of which messages were received for the first time then, by the time of their queue. */
  readonly learnTime: (firstReceives: readonly number[]) => void;
  /** Replies of the agent came, of which those that were received for the first time were sent then. */
  readonly noteReplies: ReplyDelayNotes['received'];
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
    shards: shared.shards[release],
    isEventual: !shared.oneProcess,
  };
  const store = simStore({ ...reached, workMs: 0 });
  const ports: ProcessPorts = {
    id: schedulerId(machine.name),
    store,
    clock,
    ids: idsOf(machine),
    random: around.chance,
    log,
    registry: around.subject.registries[release],
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
