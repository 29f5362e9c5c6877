/** One simulated world with the agents of a user: the services that they reach, what fails there, and what is wrong. */
import type { AgentName } from '#core/model/ids.ts';
import { type CallPolicy, callPolicy } from '#core/model/policy.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import type { SimAgents } from '#sim/orders/subject.ts';
import { chance as chanceOf } from '#sim/world/chance.ts';
import { serviceCalls } from '#sim/world/service-calls.ts';
import type { SimContext } from '#sim/world/sim-context.ts';
import { orderIdOf, type ServicesOptions } from '#sim/world/sim-services.ts';
import { type AgentTry, orderAndStep } from './agents/agent-try.ts';
import { failedCalls } from './agents/failed-calls.ts';
import { sameOutputs, watchedAgent } from './agents/watched-agent.ts';
import { type EffectLedger, effectLedger } from './effect-ledger.ts';
import type { Find, Finding } from './finding.ts';
import type { Tally } from './tally/tally.ts';
import { plainTheme, themeOf } from './theme.ts';

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
  /** Whether the service fails this request, which another try may repeat. */
  isDown(own: AgentTry): boolean;
  /** Whether the network keeps a copy of a request, which arrives late. */
  isRepeated(): boolean;
  /** Counts how often a call fails by itself. */
  callFailed(own: AgentTry, error: unknown): void;
  /** What a service remembers in this world. */
  readonly models: Map<object, ServedModel>;
}

export interface ProofWorldOptions {
  readonly seed: number;
  /** Nothing is frequent in it. */
  readonly isPlain: boolean;
  readonly agents: readonly AgentImplementation[];
  readonly findings: Finding[];
  /** Counts the calls of agents. */
  readonly tally: Tally;
  /** Called with how long each try took, ms. */
  readonly onTryEnd: (ms: number) => void;
  readonly simulated: ServicesOptions;
}

export function proofWorld({
  seed,
  isPlain,
  agents,
  findings,
  tally,
  onTryEnd,
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
    onChange({ service, key, order, step }, change, { agent, action }) {
      around.trace.record(`${service} ${change} for ${step} of ${order}`, `(${key})`);
      if (change === 'takes effect') tally.note('effect', agent);
      else if (action === 'undo') tally.note('taken-back', agent);
    },
  });
  const names = around.subject.contracts.map(({ name }) => name);
  const theme = isPlain ? plainTheme : themeOf(chance, names);
  const outputs = sameOutputs(find);
  const world: ProofWorld = {
    ...{ around, ledger, find, models: new Map() },
    send: serviceCalls({ around, outages }),
    isSteady: (agent) => theme.slow !== null && theme.slow !== agent,
    isOut: ({ agent }) => outages.of(agent) !== null,
    callFailed: failedCalls(find, () => findings.length > 0),
    refuses(own) {
      const { agent, action } = own;
      const { faults } = around;
      if (action === 'undo') {
        const isRefused = faults.strike('undo-refused');
        own.isFaulty ||= isRefused;
        return isRefused;
      }
      if (agent === theme.refuses && chance.hits(0.5)) return faults.happens('service-refuses');
      return faults.strike('service-refuses');
    },
    isDown({ agent, action }) {
      const { faults } = around;
      if (theme.undosFail && action === 'undo' && chance.hits(0.5))
        return faults.happens('service-down');
      return !world.isSteady(agent) && faults.strike('service-down');
    },
    isRepeated() {
      const { faults } = around;
      if (theme.repeats && chance.hits(0.3)) return faults.happens('retried-underneath');
      return faults.strike('retried-underneath');
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
      return watchedAgent(
        agent,
        { world, machine, outputs, chance, tally, onTryEnd },
        surroundings,
      );
    },
    effectsBreach(record, definition) {
      ledger.judge(record, definition);
      return null;
    },
  };
  return world;
}
