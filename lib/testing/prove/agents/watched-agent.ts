/** The agent of a user on a machine of a simulated world: what it calls, waits for and answers is watched. */
import { jsonSchema } from '#core/codec/json-schema.ts';
import { readableError } from '#core/model/errors.ts';
import { canonicalJson, type JsonValue } from '#core/model/json.ts';
import type { AgentImplementation, Call } from '#ports/agent-implementation.ts';
import type { AgentSurroundings } from '#sim/orders/subject.ts';
import type { Chance } from '#sim/world/chance.ts';
import type { Machine } from '#sim/world/machine.ts';
import type { Find } from '../finding.ts';
import { withSources } from '../process/virtual-sources.ts';
import type { ProofWorld } from '../proof-world.ts';
import type { Tally } from '../tally/tally.ts';
import { type AgentTry, asTry, orderAndStep } from './agent-try.ts';
import { placeOf, thrownText } from './failed-calls.ts';

export interface Watched {
  readonly world: ProofWorld;
  readonly machine: Machine;
  readonly outputs: (own: AgentTry, output: JsonValue) => void;
  readonly chance: Chance;
  readonly tally: Tally;
  readonly onTryEnd: (ms: number) => void;
}

/** See above. */
export function watchedAgent(
  agent: AgentImplementation,
  { world, machine, outputs, chance, tally, onTryEnd }: Watched,
  { count, concurrency }: AgentSurroundings,
): AgentImplementation {
  const { contract } = agent;
  const { name } = contract;

  async function run<Value>(own: AgentTry, code: () => Promise<Value>): Promise<Value> {
    const { performKey: key, call } = own;
    const { now, after } = machine.clock;
    const sources = { now, random: chance.next, after: waiting(own, after) };
    const { attempt, signal } = call;
    return count(name, { machine, key, attempt, signal }, () =>
      withSources(sources, () => asTry(own, () => ended(own, code(), onTryEnd))),
    );
  }

  const tryOf = (call: Call, action: AgentTry['action'], performKey: AgentTry['performKey']) => {
    tally.note(action, name);
    const own: AgentTry = {
      ...{ world, agent: name, machine, action, performKey },
      startedAt: world.around.timeline.now(),
      touched: new Set(),
      requests: 0,
      answers: 0,
      unsent: 0,
      isFaulty: machine.isFrozen(),
      hasBeaten: false,
      servedMs: 0,
      servedUntil: 0,
      waitsFor: 0,
      hasEnded: false,
      call: beating(call, () => {
        own.hasBeaten = true;
      }),
    };
    return own;
  };

  const { endpoints } = agent;
  return {
    contract,
    concurrency,
    ...(endpoints !== undefined && { endpoints }),
    async perform(input, call) {
      const own = tryOf(call, 'perform', call.idempotencyKey);
      const output = await watched(own, () => run(own, () => agent.perform(input, own.call)));
      // A step without an effect may do its best, and go on without an answer.
      if (contract.undo !== 'unneeded') checkAnswered(own);
      world.ledger.performed(own, contract.undo);
      outputs(own, output);
      return output;
    },
    ...(agent.undo !== undefined && {
      undo: (target, call) => {
        const own = tryOf(call, 'undo', target.performKey);
        return undone(own, () => run(own, async () => agent.undo?.(target, own.call)));
      },
    }),
  };
}

async function undone(own: AgentTry, undo: () => Promise<void>): Promise<void> {
  await watched(own, undo);
  checkAnswered(own);
}

async function watched<Value>(own: AgentTry, code: () => Promise<Value>): Promise<Value> {
  try {
    return await code();
  } catch (error) {
    own.world.callFailed(own, error);
    throw error;
  }
}

/** What returns is taken for done. */
function checkAnswered(own: AgentTry): void {
  const { agent, action, performKey, requests, answers, waitsFor, call, world } = own;
  if (requests === 0 || answers > 0 || call.signal.aborted) return;
  const { order, step } = orderAndStep(performKey);
  const what = `The ${action} of ${agent} for ${step} of ${order} has returned`;
  if (waitsFor > 0)
    world.find('not-awaited', `${what}, and did not wait for the answer of its service.`);
  else world.find('fault-swallowed', `${what}, and its service has answered none of its requests.`);
}

/** The argument of the agent, which says when it sends a heartbeat. */
function beating(call: Call, onBeat: () => void): Call {
  const { orderId, idempotencyKey, attempt } = call;
  return {
    ...{ orderId, idempotencyKey, attempt },
    get endpoint() {
      return call.endpoint;
    },
    get signal() {
      return call.signal;
    },
    heartbeat() {
      onBeat();
      call.heartbeat();
    },
  };
}

/** Timers of the agent are something that it waits for. */
const waiting =
  (own: AgentTry, after: Machine['clock']['after']): Machine['clock']['after'] =>
  (ms, work) => {
    const stop = begun(own);
    const cancel = after(ms, () => {
      stop();
      try {
        asTry(own, work);
      } catch (error) {
        own.world.find('code-throws', timerText(own, error));
      }
    });
    return () => {
      stop();
      cancel();
    };
  };

/** No caller of the agent gets such an error. */
const timerText = ({ agent, action, performKey }: AgentTry, error: unknown) => {
  const { order, step } = orderAndStep(performKey);
  return `A timer of the ${action} of ${agent} for ${step} of ${order} throws ${thrownText(readableError(error))}: Node ends the process.${placeOf(readableError(error))}`;
};

/** The agent waits for something that is simulated, until the returned function is called. */
export function begun(own: AgentTry): () => void {
  own.waitsFor += 1;
  let isOpen = true;
  return () => {
    if (!isOpen) return;
    isOpen = false;
    own.waitsFor -= 1;
    look(own);
  };
}

/** A stream of Node goes on in one tick after the other, and between two events of a world there is one. */
const looks = 200;

/** An agent that goes on in real time would seem to hang for ever: between some events of a world, everything else has settled. */
function look(own: AgentTry, left = looks): void {
  const { world, machine, call } = own;
  const { timeline } = world.around;
  timeline.at(timeline.now(), () => {
    if (own.hasEnded || own.waitsFor > 0 || !machine.isAlive() || machine.isFrozen()) return;
    if (call.signal.aborted) return;
    if (left > 0) {
      look(own, left - 1);
      return;
    }
    world.find(
      'waits-outside',
      `The ${own.action} of ${own.agent} waits for something that is not simulated, such as a real service, a file, crypto.subtle or a timer of node:timers. Let it call a simulatedService in its place.`,
    );
  });
}

async function ended<Value>(
  own: AgentTry,
  result: Promise<Value>,
  onTryEnd: Watched['onTryEnd'],
): Promise<Value> {
  look(own);
  try {
    return await result;
  } finally {
    own.hasEnded = true;
    onTryEnd(own.world.around.timeline.now() - own.startedAt);
  }
}

/** Finds agents that answer repeated requests differently: the Scheduler may get either answer. */
export function sameOutputs(find: Find): Watched['outputs'] {
  const known = new Map<string, string>();
  return ({ agent, performKey }, output) => {
    // Reeve refuses what is no JSON, and says why.
    if (!jsonSchema.safeParse(output).success) return;
    const text = canonicalJson(output);
    const id = `${agent} ${performKey}`;
    const before = known.get(id) ?? text;
    known.set(id, before);
    if (before === text) return;
    const { order, step } = orderAndStep(performKey);
    find(
      'output-changes',
      `The agent ${agent} answered ${step} of ${order} with ${before}, and the same request again with ${text}.`,
    );
  };
}
