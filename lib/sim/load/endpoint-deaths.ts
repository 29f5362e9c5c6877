/**
 * An agent whose service has several endpoints, one of which dies: in many instances that share ejections, in virtual time.
 * The instances run the code of the agent as a function does (lambdas/agent-handler.ts); what they share answers after some
 * milliseconds.
 */
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import type { SharedCircuit } from '#core/flow/shared-circuit.ts';
import type { Request } from '#core/model/message.ts';
import { queueClock } from '#distributed/queue-clock.ts';
import { sharedCircuitBreaker } from '#distributed/shared-circuit-breaker.ts';
import { sharedEjections } from '#distributed/shared-ejections.ts';
import { type AgentImplementation, TransientFault } from '#ports/agent-implementation.ts';
import type { Clock } from '#ports/clock.ts';
import type { Circuits } from '#ports/health/circuits.ts';
import type { Ejections } from '#ports/health/ejections.ts';
import type { Log } from '#ports/log.ts';
import { assembleAgent } from '#roles/assemble.ts';
import { ejectionTable } from '#sim/ports/sim-flow.ts';
import type { Chance } from '#sim/world/chance.ts';
import type { Settle, Timeline } from '#sim/world/virtual-time.ts';
import { invocationContext } from './load-context.ts';
import { loadRequest } from './load-request.ts';

/** How an endpoint dies: it never answers; it fails at once; it is 20 times as slow; it fails half of the calls. */
export const deaths = ['silent', 'fails-fast', 'slow', 'half-errors'] as const;
export type Death = (typeof deaths)[number];

export interface EndpointDeathsOptions {
  /** Null: none dies. */
  readonly death: Death | null;
  readonly instances: number;
  readonly callsPerSecond: number;
  /** Before the death and after it, s. */
  readonly beforeS: number;
  readonly afterS: number;
  readonly seed: number;
  readonly settle: Settle;
}

/** A call; `at` is in ms from the death. */
export interface EndpointCallSeen {
  readonly at: number;
  /** Whether it went to the endpoint that dies. */
  readonly isDead: boolean;
}

export interface EndpointDeaths {
  readonly calls: readonly EndpointCallSeen[];
  /** Steps after the death, those whose attempt failed or had no reply in time, and those that were given back. */
  readonly steps: number;
  readonly failed: number;
  readonly held: number;
  readonly ejections: number;
  /** To the stored ejections and circuits. */
  readonly reads: number;
  readonly writes: number;
}

const endpoints = ['north', 'east', 'south', 'west'].map((url) => ({ url }));
const dying = 'south';
const completeWithinMs = 2_000;
const request = { workflow: 'sale', step: 'tax', agent: 'tax', completeWithinMs, input: {} };
/** How long a call takes, ms; one in a hundred takes a multiple of it. */
const callMs = { least: 20, most: 60 };
const slowestOf = 20;
/** How long the store takes to answer, ms. */
const storeMs = 5;

const contract = defineAgent({
  name: 'tax',
  input: z.strictObject({}),
  output: z.strictObject({}),
  undo: 'unneeded',
});

/** Runs a load of calls at random instants, each in an instance drawn at random. */
export async function endpointDeaths(options: EndpointDeathsOptions): Promise<EndpointDeaths> {
  const { timeline, chance } = invocationContext(options.seed, options.settle);
  const clock = clockOf(timeline);
  const diesAt = timeline.now() + options.beforeS * 1_000;
  const calls: EndpointCallSeen[] = [];
  const counts = { steps: 0, failed: 0, held: 0, ejections: 0, reads: 0, writes: 0 };
  const stored = sharedStore(clock, counts);
  const log: Log = {
    info() {},
    error() {},
    warn(event) {
      if (event === 'endpoint-ejected') counts.ejections += 1;
    },
  };
  const agent: AgentImplementation = {
    contract,
    endpoints,
    async perform(_, { endpoint, signal }) {
      const at = clock.now() - diesAt;
      const isDead = endpoint === dying && options.death !== null;
      calls.push({ at, isDead });
      await answer(clock, chance, signal, isDead && at >= 0 ? options.death : null);
      return {};
    },
  };
  const instances = Array.from({ length: options.instances }, (_, number) =>
    instanceOf(agent, { ...stored, clock, chance, log, name: `instance-${number}` }),
  );

  async function step(number: number): Promise<void> {
    const isAfter = clock.now() >= diesAt;
    const instance = instances[chance.between(0, instances.length - 1)];
    const kind = await instance?.(loadRequest({ ...request, number }, clock.now()));
    if (!isAfter) return;
    counts.steps += 1;
    if (kind === 'deferred') counts.held += 1;
    else if (kind !== 'succeeded') counts.failed += 1;
  }

  const end = diesAt + options.afterS * 1_000;
  for (let at = clock.now(), number = 0; at < end; number += 1) {
    await timeline.runUntil(Math.floor(at));
    void step(number);
    at += (-Math.log(1 - chance.next()) * 1_000) / options.callsPerSecond;
  }
  await timeline.runUntil(end + 2 * completeWithinMs);
  return { calls, ...counts };
}

function clockOf(timeline: Timeline): Clock {
  return {
    now: timeline.now,
    after: (ms, work) => timeline.at(timeline.now() + ms, work),
  };
}

interface Instance {
  readonly circuits: Circuits;
  readonly ejections: Ejections;
  readonly clock: Clock;
  readonly chance: Chance;
  readonly log: Log;
  readonly name: string;
}

/** Makes an instance; it resolves to the kind of the reply, undefined without one in time. */
function instanceOf(
  agent: AgentImplementation,
  { circuits, ejections, clock, chance, log, name }: Instance,
): (request: Request) => Promise<string | undefined> {
  const kinds = new Map<string, string>();
  const queues = queueClock({ now: clock.now, uptime: clock.now });
  const breaker = sharedCircuitBreaker({
    ...{ agent: 'tax', instance: name, circuits, clock, queueClock: queues, log },
  });
  const shared = sharedEjections({ agent: 'tax', ejections, clock, log });
  const runner = assembleAgent(agent, {
    repliesOf: () => ({
      async send(replies) {
        for (const { orderId: id, result } of replies) kinds.set(id, result.kind);
      },
    }),
    breakerFor: () => breaker,
    clock,
    random: chance,
    log,
    ejections: shared,
  });
  return async (request) => {
    await runner.handle(request, true);
    await Promise.all([breaker.stored(), shared.stored()]);
    const kind = kinds.get(request.orderId);
    kinds.delete(request.orderId);
    return kind;
  };
}

/** What the instances share, with the number of its requests. */
function sharedStore(clock: Clock, counts: { reads: number; writes: number }) {
  const circuits = new Map<string, SharedCircuit>();
  const table = ejectionTable();
  const read = async <Value>(work: () => Value) => {
    counts.reads += 1;
    await wait(clock, storeMs);
    return work();
  };
  const write = async <Value>(work: () => Value) => {
    counts.writes += 1;
    await wait(clock, storeMs);
    return work();
  };
  return {
    circuits: {
      read: (agent) => read(() => circuits.get(agent) ?? null),
      store: (agent, circuit, after) =>
        write(() => {
          if ((circuits.get(agent)?.epoch ?? 0) !== after) return false;
          circuits.set(agent, circuit);
          return true;
        }),
    } satisfies Circuits,
    ejections: {
      read: (agent) => read(() => table.read(agent)),
      store: (agent, ejection, nowMs) => write(() => table.store(agent, ejection, nowMs)),
    } satisfies Ejections,
  };
}

async function answer(
  clock: Clock,
  chance: Chance,
  signal: AbortSignal,
  death: Death | null,
): Promise<void> {
  if (death === 'fails-fast') {
    await wait(clock, 1);
    throw new TransientFault('http-503', 'It is down.');
  }
  if (death === 'silent') return untilAborted(signal);
  const isSlow = death === 'slow' || chance.hits(0.01);
  await wait(clock, chance.between(callMs.least, callMs.most) * (isSlow ? slowestOf : 1));
  if (death === 'half-errors' && chance.hits(0.5)) {
    throw new TransientFault('http-500', 'It failed.');
  }
}

const wait = (clock: Clock, ms: number) =>
  new Promise<void>((resolve) => void clock.after(ms, resolve));

const untilAborted = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new TransientFault('no-answer', 'Aborted.')));
  });
