/** One simulated world with the agents of a user: their calls, the services that they reach, and what is wrong with them. */
import type { AgentName } from '#core/model/ids.ts';
import { canonicalJson, type JsonValue } from '#core/model/json.ts';
import { type CallPolicy, callPolicy } from '#core/model/policy.ts';
import type { AgentImplementation, Call } from '#ports/agent-implementation.ts';
import type { AgentSurroundings, SimAgents } from '#sim/orders/subject.ts';
import { type Chance, chance as chanceOf } from '#sim/world/chance.ts';
import type { Machine } from '#sim/world/machine.ts';
import { serviceCalls } from '#sim/world/service-calls.ts';
import type { SimContext } from '#sim/world/sim-context.ts';
import { orderIdOf, type ServicesOptions } from '#sim/world/sim-services.ts';
import { type AgentTry, asTry, orderAndStep } from './agent-try.ts';
import { type EffectLedger, effectLedger } from './effect-ledger.ts';
import type { Find, Finding } from './finding.ts';
import { withSources } from './virtual-sources.ts';

/** The model of a service in this world, and the request that it takes effect for. */
export interface ServedModel {
  readonly model: object;
  request: AgentTry;
  /** The effects that it has made or found for the request. */
  touched: Set<string>;
}

export interface ProofWorld extends SimAgents {
  readonly around: SimContext;
  readonly ledger: EffectLedger;
  readonly find: Find;
  /** Sends a request to the service of an agent. */
  readonly send: ReturnType<typeof serviceCalls>;
  /** Whether the service of the agent is unavailable now. */
  readonly isOut: (own: AgentTry) => boolean;
  /** The policy of the call; undefined when its order is not stored. */
  policyOf(own: AgentTry): CallPolicy | undefined;
  /** Whether the service of the agent is neither slow nor silent in this world. */
  readonly isSteady: (agent: AgentName) => boolean;
  /** Whether the service refuses the request for good. */
  refuses(own: AgentTry): boolean;
  /** Whether the network keeps a copy of a request, which arrives late. */
  isRepeated(): boolean;
  /** What a service remembers in this world. */
  readonly models: Map<object, ServedModel>;
}

export interface ProofWorldOptions {
  readonly seed: number;
  /** Nothing is frequent in it. */
  readonly isPlain: boolean;
  readonly agents: readonly AgentImplementation[];
  readonly findings: Finding[];
  readonly simulated: ServicesOptions;
}

export function proofWorld({
  seed,
  isPlain,
  agents,
  findings,
  simulated,
}: ProofWorldOptions): ProofWorld {
  const { around, outages, recordOf } = simulated;
  const find: Find = (kind, message) => {
    if (findings.some((one) => one.kind === kind && one.message === message)) return;
    around.trace.record(`BROKEN ${kind}: ${message}`);
    findings.push({ kind, message });
  };
  // Not that of the world, whose course of events must not depend on how often the code of agents draws.
  const chance = chanceOf(seed);
  const ledger = effectLedger({
    find,
    onChange: ({ service, key, order, step }, change) =>
      around.trace.record(`${service} ${change} for ${step} of ${order}`, `(${key})`),
  });
  const names = around.subject.contracts.map(({ name }) => name);
  const theme = isPlain ? plain : themeOf(chance, names);
  const outputs = outputsOf(find);
  const world: ProofWorld = {
    ...{ around, ledger, find, models: new Map() },
    send: serviceCalls({ around, outages }),
    isSteady: (agent) => theme.slow !== null && theme.slow !== agent,
    isOut: ({ agent }) => outages.of(agent) !== null,
    refuses({ agent, action }) {
      const { faults } = around;
      if (action === 'undo') return faults.strike('undo-refused');
      if (agent !== theme.refuses || !chance.hits(0.5)) return faults.strike('service-refuses');
      faults.note('service-refuses');
      return true;
    },
    isRepeated() {
      const { faults } = around;
      if (!theme.repeats || !chance.hits(0.3)) return faults.strike('retried-underneath');
      faults.note('retried-underneath');
      return true;
    },
    policyOf({ performKey, action }) {
      const record = recordOf(orderIdOf(performKey));
      const { step } = orderAndStep(performKey);
      const policy = record?.steps.find(({ name }) => name === step)?.policy;
      return policy && callPolicy(policy, action);
    },
    implementation(name, machine, surroundings) {
      const agent = agents.find(({ contract }) => contract.name === name);
      if (agent === undefined) throw new RangeError(`prove has no agent ${name}.`);
      return watched(agent, { world, machine, outputs, chance }, surroundings);
    },
    effectsBreach(record, definition) {
      ledger.judge(record, definition);
      return null;
    },
  };
  return world;
}

/** What is frequent in a world. */
interface Theme {
  /** The agent whose service alone is slow or silent; null: each may be. */
  readonly slow: AgentName | null;
  /** The agent whose service refuses every other request; null: none. */
  readonly refuses: AgentName | null;
  readonly repeats: boolean;
}

const plain: Theme = { slow: null, refuses: null, repeats: false };

/** Where every service is slow, an order seldom comes as far as its last steps; and one that fails late has the most to undo. */
function themeOf(chance: Chance, agents: readonly AgentName[]): Theme {
  const one = (some: readonly AgentName[]) => some[chance.between(0, some.length - 1)] ?? null;
  const last = agents.slice(-2);
  return {
    slow: chance.hits(0.5) ? null : one(agents),
    refuses: chance.hits(0.3) ? null : one(chance.hits(0.5) ? last : agents),
    repeats: chance.hits(0.5),
  };
}

interface Watched {
  readonly world: ProofWorld;
  readonly machine: Machine;
  readonly outputs: (own: AgentTry, output: JsonValue) => void;
  readonly chance: Chance;
}

/** The agent of the user, on a machine of this world. */
function watched(
  agent: AgentImplementation,
  { world, machine, outputs, chance }: Watched,
  { count, concurrency }: AgentSurroundings,
): AgentImplementation {
  const { contract } = agent;
  const { name } = contract;

  async function run<Value>(own: AgentTry, code: () => Promise<Value>): Promise<Value> {
    const { performKey: key, call } = own;
    const { now, after } = machine.clock;
    const sources = { now, random: chance.next, after: waiting(own, after) };
    return count(name, { machine, key, signal: call.signal }, () =>
      withSources(sources, () => asTry(own, () => ended(own, code()))),
    );
  }

  const tryOf = (call: Call, action: AgentTry['action'], performKey: AgentTry['performKey']) => {
    const own: AgentTry = {
      ...{ world, agent: name, machine, action, performKey },
      startedAt: world.around.timeline.now(),
      touched: new Set(),
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

  return {
    ...agent,
    concurrency,
    async perform(input, call) {
      const own = tryOf(call, 'perform', call.idempotencyKey);
      const output = await run(own, () => agent.perform(input, own.call));
      world.ledger.performed(own);
      outputs(own, output);
      return output;
    },
    ...(agent.undo !== undefined && {
      undo: (target, call) => {
        const own = tryOf(call, 'undo', target.performKey);
        return run(own, async () => agent.undo?.(target, own.call));
      },
    }),
  };
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
      asTry(own, work);
    });
    return () => {
      stop();
      cancel();
    };
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

/** An agent that goes on in real time would seem to hang for ever: between two events of a world, everything else has settled. */
function look(own: AgentTry): void {
  const { world, machine, call } = own;
  const { timeline } = world.around;
  timeline.at(timeline.now(), () => {
    if (own.hasEnded || own.waitsFor > 0 || !machine.isAlive() || machine.isFrozen()) return;
    if (call.signal.aborted) return;
    world.find(
      'waits-outside',
      `The ${own.action} of ${own.agent} waits for something that is not simulated, such as a real service, a file or a timer of node:timers. Let it call a simulatedService in its place.`,
    );
  });
}

async function ended<Value>(own: AgentTry, result: Promise<Value>): Promise<Value> {
  look(own);
  try {
    return await result;
  } finally {
    own.hasEnded = true;
  }
}

/** Finds agents that answer repeated requests differently: the Scheduler may get either answer. */
function outputsOf(find: Find): Watched['outputs'] {
  const known = new Map<string, string>();
  return ({ agent, performKey }, output) => {
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
