/**
 * What one instance of the Scheduler knows of an agent: its stored circuit, and the requests in its queues. While the agent
 * keeps up with its requests and has no limit, nothing is read.
 */
import { admitted, afterCall, afterNoCall, afterUnsent, type Circuit } from '#core/flow/circuit.ts';
import type { GateOfAgent } from '#core/model/hold.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { Reply, Request } from '#core/model/message.ts';
import type { RequestBacklog } from '#ports/request-backlog.ts';
import { type CircuitCopyOptions, circuitCopy } from './circuit-copy.ts';
import { requestFlow } from './request-flow.ts';

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
  heldBy(request: Request): GateOfAgent | null;
  /** Not while its circuit is open and steps wait for it, which are its probes. */
  isAvailable(): boolean;
  /** The request was not sent after all. */
  unsent(request: Request): void;
  /** Learns from a reply of the agent. */
  replied(reply: Reply): void;
  /** A step is held, or an order that was held goes on: others may wait as well. */
  stepWaits(): void;
  /** No step waits. */
  nothingWaits(): void;
  /** Whether a step is known to wait. */
  hasWaiting(): boolean;
  /**
   * How many held steps may start after so many replies.
   *
   * @param most where limits say more than the agent's queue
   */
  startable(replies: number, most?: number): number;
  /** The orders that are to start of those that wait: their requests are sent before all others. */
  chosen(orderIds: readonly OrderId[]): void;
}

/** An agent that was behind is watched for so long, ms. */
const watchMs = 60_000;
/** Held steps that start after the replies of one batch, at most. */
const startableMax = 25;
/** A step that was let through as the probe, and of which nothing is heard for so long, is not waited for, ms. */
const probeLostAfterMs = 10_000;

/** What is known at first: nothing, as if the agent had no work. */
export function agentLoad({ backlog, isLimited, ...options }: AgentLoadOptions): AgentLoad {
  const { agent, clock, log } = options;
  const copy = circuitCopy(options);
  const flow = requestFlow({ agent, backlog, clock, log });
  const circuitWatch = watch(clock);
  const queueWatch = watch(clock);
  const waiting = watch(clock);
  let chosen: ReadonlySet<OrderId> = new Set();
  let probeSentAt = 0;

  const watchesCircuit = () => circuitWatch.isOn() || copy.current().state !== 'closed';
  const watchesQueues = () => isLimited || queueWatch.isOn();

  /** While others wait, an order that comes waits as well, so that it does not pass those that have waited (R24). */
  function isFullFor({ orderId }: Request): boolean {
    if (!watchesQueues() || flow.isIdle()) return false;
    return waiting.isOn() ? !chosen.has(orderId) : flow.free() <= 0;
  }

  function answered(): void {
    const probing = admitted(copy.current(), 'reply', clock.now()) ?? copy.current();
    if (probing.state !== 'half-open') return;
    const { epoch, probe: step } = probing;
    copy.change(afterCall(probing, { epoch, step, order: '', isAnswered: true }, clock.now()));
  }

  function pressed(gate: GateOfAgent): void {
    if (gate === 'circuit') {
      copy.doubt();
      circuitWatch.start();
    } else {
      queueWatch.start();
    }
  }

  const reading = sharedRun(async () => {
    await Promise.all([
      watchesCircuit() && copy.isStale() && copy.read(),
      watchesQueues() && flow.isStale() && flow.read(),
    ]);
  });

  return {
    isStale: () =>
      reading.isRunning() ||
      (watchesCircuit() && copy.isStale()) ||
      (watchesQueues() && flow.isStale()),
    refresh: reading.run,
    heldBy(request) {
      const circuit = unlessLost(copy.current(), probeSentAt, clock.now());
      const next = admitted(circuit, request.idempotencyKey, clock.now());
      if (next === null) return 'circuit';
      if (isFullFor(request)) return 'concurrency';
      if (next.state === 'half-open') probeSentAt = clock.now();
      copy.change(next);
      flow.sent(request);
      return null;
    },
    isAvailable: () => answers(copy.current()) || !waiting.isOn(),
    unsent(request) {
      flow.unsent(request);
      copy.change(afterUnsent(copy.current(), request.idempotencyKey, clock.now()));
    },
    replied(reply) {
      const { result, waitedMs } = reply;
      if (result.kind === 'deferred') pressed(result.gate);
      else if (waitedMs !== undefined) pressed('concurrency');
      if (result.kind === 'succeeded' || result.kind === 'failed') answered();
      if (result.kind !== 'heartbeat') flow.replied(reply, waiting.isOn());
    },
    stepWaits: waiting.start,
    nothingWaits: waiting.stop,
    hasWaiting: waiting.isOn,
    startable(replies, most = startableMax) {
      const earned = watchesQueues() ? flow.earned() : 2 * replies;
      const wanted = Math.min(startableMax, earned, most);
      return admittedOf(copy.current(), wanted, clock.now());
    },
    chosen(orderIds) {
      chosen = new Set(orderIds);
    },
  };
}

const answers = ({ state }: Circuit) => state === 'closed' || state === 'recovering';

/** Without a probe of which nothing is heard for long. */
function unlessLost(circuit: Circuit, probeSentAt: number, nowMs: number): Circuit {
  return circuit.state === 'half-open' && nowMs - probeSentAt > probeLostAfterMs
    ? afterNoCall(circuit, circuit.probe, nowMs)
    : circuit;
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
