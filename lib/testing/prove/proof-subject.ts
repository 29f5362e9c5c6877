/** What a simulation runs for `prove`: the workflows, details and agents of a user. */
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
import { checkSingleton, drawnDetails } from './orders/drawn-details.ts';
import { registryOf, releaseOf, versionName } from './orders/release.ts';
import type { Proof } from './proof.ts';
import { type ProofWorld, proofWorld } from './proof-world.ts';
import { pureWorkflows } from './pure-workflow.ts';
import type { Tally } from './tally/tally.ts';

export interface ProofSubjectOptions {
  readonly proof: Proof;
  readonly seed: number;
  /** See `ProofWorldOptions`. */
  readonly isPlain: boolean;
  /** See `releaseOf`. */
  readonly release: number;
  /** Whether the orders are of one workflow after the other. Otherwise their workflows are drawn. */
  readonly inTurn: boolean;
  /** Counts the calls of agents. */
  readonly tally: Tally;
  /** Receives the mistakes that are no rule of Reeve. */
  readonly findings: Finding[];
  /** See `ProofWorldOptions`. */
  readonly onTryEnd: (ms: number) => void;
  /** See `Subject`. */
  readonly faultsFactor: number;
}

/** What the code of agents meets: late requests, lost answers, undos. The roles of Reeve are proven by `npm run sim`. */
export const emphasis = {
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
  release,
  inTurn,
  findings,
  tally,
  onTryEnd,
  faultsFactor,
}: ProofSubjectOptions): Subject {
  const { workflows, agents } = proof;
  let world: ProofWorld | null = null;
  const find: Find = (kind, message) => world?.find(kind, message);
  const accepting = releaseOf(workflows, release);
  const registry = registryOf(pureWorkflows(workflows, find), accepting);
  const workflowOf = workflowOfOrders(accepting, inTurn);
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
    // A world gives such orders more events: those that wait for each other, and those that wait for hours while it sweeps.
    mayWaitLong:
      workflows.some(({ singleton }) => singleton !== undefined) ||
      workflows.some((workflow) => waitsMs(workflow) > shortWaitsMs),
    // A service may refuse the same details each time, and no operator corrects them.
    resubmitsMax: 4,
    endpointsOf: () => undefined,
    keyedWorkflowOf: () => null,
    request(chance, number) {
      const workflow = workflowOf(chance, number);
      const details = drawnDetails(proof.orders, chance, workflow);
      const request = requestOf({ workflow: workflow.name, details, seed, number }, chance);
      checkSingleton(workflow, request);
      if (number > 0) tally.note('submitted', versionName(workflow));
      return request;
    },
    otherDetails(request, chance) {
      const workflow = accepting.find(({ name }) => name === request.workflow);
      if (workflow === undefined) throw new RangeError(`prove has no ${request.workflow}.`);
      const details = drawnDetails(proof.orders, chance, workflow);
      checkSingleton(workflow, { ...request, details });
      return canonicalJson(details) === canonicalJson(request.details) ? null : details;
    },
    correction: () => null,
    agents(simulated) {
      world = proofWorld({ seed, isPlain, agents, findings, tally, onTryEnd, simulated });
      return world;
    },
    // A mistake may keep orders from their end, and one is shown.
    isJudged: () => findings.length > 0,
    isOwnOutput: () => true,
  };
}

/** Numbers of orders begin with 1. With 0 the world asks for the workflow of all orders that are submitted at once, and then for these. */
function workflowOfOrders(
  accepting: Proof['workflows'],
  inTurn: boolean,
): (chance: Chance, number: number) => WorkflowDefinition {
  let ofFlood: WorkflowDefinition | null = null;
  return (chance, number) => {
    const drawn = chance.pick(accepting);
    if (number === 0) ofFlood = drawn;
    if (ofFlood !== null) return ofFlood;
    return (inTurn && accepting[(number - 1) % accepting.length]) || drawn;
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

/** In so long, ms, a world has less than half of the events that it gives to orders which do not wait. */
const shortWaitsMs = 6 * 3_600_000;

/** How long an order may wait where nothing fails any more: each call for one attempt and one cool-down, ms. */
const waitsMs = ({ steps }: WorkflowDefinition): number =>
  steps.reduce((all, { policy }) => all + waitMs(policy) + waitMs(callPolicy(policy, 'undo')), 0);

const waitMs = (policy: CallPolicy): number =>
  policy.maxDurationMs +
  (policy.coolDownTimes > 0 ? coolDownAfter(policy, policy.coolDownTimes) : 0);

function roundsMs(policy: CallPolicy): number {
  let all = attemptsAllowed(policy) * policy.maxDurationMs;
  for (let round = 1; round <= policy.coolDownTimes; round += 1)
    all += coolDownAfter(policy, round);
  return all;
}
