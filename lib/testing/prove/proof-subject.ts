/** What a simulation runs for `prove`: the workflows, details and agents of a user. */
import { workflowRegistry } from '#core/definition/registry.ts';
import { agentsOf, type WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { AgentName } from '#core/model/ids.ts';
import { canonicalJson, type JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import { attemptsAllowed, type CallPolicy, callPolicy, coolDownAfter } from '#core/model/policy.ts';
import { priorities } from '#core/model/record.ts';
import { tenants } from '#sim/orders/sim-tenants.ts';
import { type Keyed, responseChannel, type Subject } from '#sim/orders/subject.ts';
import type { Chance } from '#sim/world/chance.ts';
import type { Find, Finding } from './finding.ts';
import { drawnDetails, type Proof } from './proof.ts';
import { type ProofWorld, proofWorld } from './proof-world.ts';
import { pureWorkflow } from './pure-workflow.ts';

export interface ProofSubjectOptions {
  readonly proof: Proof;
  readonly seed: number;
  /** See `ProofWorldOptions`. */
  readonly isPlain: boolean;
  /** Receives the mistakes that are no rule of Reeve. */
  readonly findings: Finding[];
  /** See `Subject`. */
  readonly faultsFactor: number;
}

/** What the code of agents meets: late requests, lost answers, undos. The roles of Reeve are proven by `npm run sim`. */
const emphasis = {
  'service-late': 6,
  'service-unanswering': 2,
  'service-refuses': 2,
  'operator-cancels': 3,
  'answer-lost': 2,
} as const;

/** For one world. */
export function proofSubject({
  proof,
  seed,
  isPlain,
  findings,
  faultsFactor,
}: ProofSubjectOptions): Subject {
  const { workflows, agents } = proof;
  let world: ProofWorld | null = null;
  const find: Find = (kind, message) => world?.find(kind, message);
  const registry = workflowRegistry(workflows.map((each) => pureWorkflow(each, find)));
  const given = workflowRegistry(workflows);
  const detailsFor = (chance: Chance, name: string): JsonValue => {
    const workflow = given.latest(name);
    if (workflow === undefined) throw new RangeError(`prove has no workflow ${name}.`);
    return drawnDetails(proof.orders, chance, workflow);
  };
  const [first, ...rest] = namesOf(workflows);
  const [agent, ...others] = agentNames(workflows);
  return {
    registries: { old: registry, new: registry },
    contracts: [{ name: agent }, ...others.map((name) => ({ name }))],
    members: new Set(),
    // That limits are kept is a promise of Reeve, and `npm run sim` checks it.
    limits: [],
    patienceMs: patienceOf(workflows),
    faultsFactor,
    emphasis,
    // `prove` reports inputs that depend on more than their argument as what they are.
    checksInputs: false,
    hasSingletons: workflows.some(({ singleton }) => singleton !== undefined),
    // A service may refuse the same details each time, and no operator corrects them.
    resubmitsMax: 4,
    endpointsOf: () => undefined,
    keyedWorkflowOf: () => null,
    request(chance, number) {
      const workflow = chance.pick([first, ...rest]);
      const details = detailsFor(chance, workflow);
      return requestOf({ workflow, details, seed, number }, chance);
    },
    otherDetails(request, chance) {
      const details = detailsFor(chance, request.workflow);
      return canonicalJson(details) === canonicalJson(request.details) ? null : details;
    },
    correction: () => null,
    agents(simulated) {
      world = proofWorld({ seed, isPlain, agents, findings, simulated });
      return world;
    },
    // A mistake may keep orders from their end, and one is shown.
    isJudged: () => findings.length > 0,
    isOwnOutput: () => true,
  };
}

interface Numbered {
  readonly workflow: string;
  readonly details: JsonValue;
  readonly seed: number;
  readonly number: number;
}

function requestOf({ workflow, details, seed, number }: Numbered, chance: Chance): Keyed {
  return {
    ...{ workflow, details },
    priority: chance.pick(priorities),
    tenant: chance.pick(tenants),
    replyTo: chance.hits(0.8) ? responseChannel : null,
    // Orders may have the same details: this tells them apart.
    correlationId: `correlation-${number}`,
    // What an agent remembers of the orders of one world must not be taken for those of another one.
    key: `key-${seed}-${number}`,
  };
}

function namesOf(workflows: Proof['workflows']): readonly [string, ...string[]] {
  const [first, ...rest] = workflows;
  const names = new Set(rest.map(({ name }) => name));
  names.delete(first.name);
  return [first.name, ...names];
}

/** Every agent that a step may get. */
function agentNames(workflows: Proof['workflows']): readonly [AgentName, ...AgentName[]] {
  const names = [...new Set(workflows.flatMap(({ steps }) => steps.flatMap(agentsOf)))];
  const [first, ...rest] = names;
  if (first === undefined) throw new RangeError('a workflow has a step, and a step an agent');
  return [first, ...rest];
}

/** Orders of a world, which may wait for each other. */
const ordersMax = 40;

/** How long all attempts of all steps may take, ms. */
function patienceOf(workflows: readonly WorkflowDefinition[]): number {
  const one = workflows.reduce(
    (sum, { steps }) =>
      sum +
      steps.reduce(
        (all, { policy }) =>
          all +
          roundsMs(policy) +
          roundsMs(callPolicy(policy, 'undo')) +
          (policy.holdMaxMs ?? limits.holdMaxMs),
        0,
      ),
    0,
  );
  return ordersMax * one;
}

function roundsMs(policy: CallPolicy): number {
  let all = attemptsAllowed(policy) * policy.maxDurationMs;
  for (let round = 1; round <= policy.coolDownTimes; round += 1)
    all += coolDownAfter(policy, round);
  return all;
}
