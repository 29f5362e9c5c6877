/**
 * What one instance of the Scheduler knows of an agent: its stored circuit, and the requests in its queues. While the agent
 * keeps up with its requests and has no limit, nothing is read.
 */
import { admitted, afterCall, afterNoCall, type Circuit } from '#core/flow/circuit.ts';
import { errorKind } from '#core/model/errors.ts';
import type { Gate } from '#core/model/hold.ts';
import type { Request } from '#core/model/message.ts';
import type { Backlog, RequestBacklog } from '#ports/request-backlog.ts';
import { type CircuitCopyOptions, circuitCopy } from './circuit-copy.ts';

/** Options of {@link agentLoad}. */
export interface AgentLoadOptions extends CircuitCopyOptions {
  readonly backlog: RequestBacklog;
  /** Whether the agent makes a limited number of calls at once. */
  readonly isLimited: boolean;
}

/** See {@link agentLoad}. */
export interface AgentLoad {
  /** Whether something must be read, or is being read, before `heldBy` and `startable` can say what is true now. */
  isStale(): boolean;
  /** Callers at once share a read: the orders of a batch ask together, and none may pass by what was known before. */
  refresh(): Promise<void>;
  /** The gate that holds the request; null when it may be sent, and is counted as sent. */
  heldBy(request: Request): Gate | null;
  /** The request was not sent after all. */
  unsent(request: Request): void;
  /** The agent answered, so its service does, also while the stored circuit is open: its instance may not know it. */
  answered(): void;
  /** An attempt waited for long in a queue, or was given back for this gate. */
  pressed(gate: Gate): void;
  /** A step is held, or an order that was held goes on: others may wait as well. */
  stepWaits(): void;
  /** No step waits. */
  nothingWaits(): void;
  /** Whether a step is known to wait. */
  hasWaiting(): boolean;
  /** How many held steps may start after so many replies. */
  startable(replies: number): number;
}

/** The queues are read again after this, ms. */
const readEveryMs = 1_000;
/** While nothing waited, and this instance has sent so few requests since, it reads the queues less often. */
const quiet = { sentMax: 2, readEveryMs: 10_000 };
/** An agent that was behind is watched for so long, ms. */
const watchMs = 60_000;
/**
 * How many requests may wait in the queues of an agent, at least. Otherwise as many as are in flight, so that a request waits
 * for about the time of one call.
 */
const waitingMin = 10;
/** Held steps that start after the replies of one batch, at most. */
const startableMax = 25;
/** A step that was let through as the probe, and of which nothing is heard for so long, is not waited for, ms. */
const probeLostAfterMs = 10_000;

/** What is known at first: nothing, as if the agent had no work. */
export function agentLoad({ backlog: queues, isLimited, ...options }: AgentLoadOptions): AgentLoad {
  const { agent, clock, log } = options;
  const copy = circuitCopy(options);
  const circuitWatch = watch(clock);
  const queueWatch = watch(clock);
  const waiting = watch(clock);
  let readAt = Number.NEGATIVE_INFINITY;
  let backlog: Backlog = { waiting: 0, inFlight: 0 };
  let sent = 0;
  let probeSentAt = 0;

  const watchesCircuit = () => circuitWatch.isOn() || copy.current().state !== 'closed';
  const watchesQueues = () => isLimited || queueWatch.isOn();
  const free = () => Math.max(waitingMin, backlog.inFlight) - backlog.waiting - sent;
  const isQueueStale = () => {
    const isQuiet = backlog.waiting === 0 && sent <= quiet.sentMax;
    const everyMs = isQuiet ? quiet.readEveryMs : readEveryMs;
    return clock.now() - readAt >= everyMs;
  };

  function withoutLostProbe(circuit: Circuit): Circuit {
    const isLost = clock.now() - probeSentAt > probeLostAfterMs;
    return circuit.state === 'half-open' && isLost
      ? afterNoCall(circuit, circuit.probe, clock.now())
      : circuit;
  }

  async function readQueues(): Promise<void> {
    readAt = clock.now();
    try {
      backlog = await queues.of(agent);
      sent = 0;
    } catch (error) {
      log.warn('load-unknown', { agent, error: errorKind(error) });
    }
  }

  const reading = sharedRun(async () => {
    await Promise.all([
      watchesCircuit() && copy.isStale() && copy.read(),
      watchesQueues() && isQueueStale() && readQueues(),
    ]);
  });

  return {
    isStale: () =>
      reading.isRunning() ||
      (watchesCircuit() && copy.isStale()) ||
      (watchesQueues() && isQueueStale()),
    refresh: reading.run,
    heldBy({ idempotencyKey: step }) {
      const next = admitted(withoutLostProbe(copy.current()), step, clock.now());
      if (next === null) return 'circuit';
      if (watchesQueues() && free() <= 0) return 'concurrency';
      if (next.state === 'half-open') probeSentAt = clock.now();
      copy.change(next);
      sent += 1;
      return null;
    },
    unsent({ idempotencyKey: step }) {
      sent = Math.max(0, sent - 1);
      copy.change(afterNoCall(copy.current(), step, clock.now()));
    },
    answered() {
      const probing = admitted(copy.current(), 'reply', clock.now()) ?? copy.current();
      if (probing.state !== 'half-open') return;
      const { epoch, probe: step } = probing;
      copy.change(afterCall(probing, { epoch, step, order: '', isAnswered: true }, clock.now()));
    },
    pressed(gate) {
      if (gate === 'circuit') {
        copy.doubt();
        circuitWatch.start();
      } else {
        queueWatch.start();
      }
    },
    stepWaits: waiting.start,
    nothingWaits: waiting.stop,
    hasWaiting: waiting.isOn,
    startable(replies) {
      const wanted = Math.min(startableMax, watchesQueues() ? free() : 2 * replies);
      return admittedOf(copy.current(), wanted, clock.now());
    },
  };
}

/** Work that is done once for all who ask for it while it runs. It must not reject. */
function sharedRun(work: () => Promise<void>) {
  let running: Promise<void> | null = null;
  return {
    isRunning: () => running !== null,
    run() {
      running ??= work().then(() => {
        running = null;
      });
      return running;
    },
  };
}

/** Whether something happened in the last minute. */
function watch(clock: AgentLoadOptions['clock']) {
  let until = Number.NEGATIVE_INFINITY;
  return {
    isOn: () => clock.now() < until,
    start() {
      until = clock.now() + watchMs;
    },
    stop() {
      until = Number.NEGATIVE_INFINITY;
    },
  };
}

/** How many of so many calls the circuit admits now. */
function admittedOf(circuit: Circuit, wanted: number, nowMs: number): number {
  let next: Circuit | null = circuit;
  for (let count = 0; count < wanted; count += 1) {
    next = admitted(next, `${count}`, nowMs);
    if (next === null) return count;
  }
  return Math.max(0, wanted);
}
