/** What the simulated orders are: every shape and policy that steps can have, in twelve workflows. */
import * as z from 'zod';
import type { AgentContract } from '#core/definition/agent.ts';
import { type WorkflowRegistry, workflowRegistry } from '#core/definition/registry.ts';
import { type SingletonRule, singletonRules } from '#core/definition/singleton.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { Endpoint } from '#core/flow/endpoint-pool.ts';
import type { AgentName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { AgentImplementation, Call } from '#ports/agent-implementation.ts';
import type { Machine } from '#sim/world/machine.ts';
import type { Services } from '#sim/world/sim-services.ts';
import {
  backedTeller,
  contracts,
  dispatch,
  type Input,
  type Output,
  packing,
  payment,
  stock,
  teller,
} from './sim-agents.ts';
import type { AgentSurroundings, Release } from './subject.ts';

const details = z.strictObject({ units: z.int(), boxes: z.int(), express: z.boolean() });

const seconds = (count: number) => count * 1_000;
const first = ({ details: { units } }: { details: z.infer<typeof details> }): Input => ({
  units,
  from: [],
});
/** Names the keys whose outputs it was given. */
const given = ({
  details: { boxes },
  outputs,
}: {
  details: z.infer<typeof details>;
  outputs: Readonly<Record<string, Output | undefined>>;
}): Input => ({
  units: boxes,
  from: Object.values(outputs).map((one) => one?.key ?? 'none'),
});

type Deadline = { completeWithin?: number; onLate?: 'hold' | 'undo' };

/** Undos that may be stuck while there are faults; the others have the usual policy, which outlasts them. */
const undoOnce = { retries: 1, coolDown: { after: seconds(5), times: 0 } };
const undoInRounds = {
  retries: 0,
  coolDown: { after: seconds(5), times: 2, factor: 3, max: seconds(12) },
};

const sequence = (version: number, completeWithin: number, deadline: Deadline = {}) =>
  defineWorkflow({ name: 'sequence', version, details, ...deadline })
    .step('reserve', { agent: stock, input: first, completeWithin, retries: 1, undo: undoOnce })
    .step('pay', {
      agent: payment,
      after: ['reserve'],
      input: given,
      completeWithin,
      retries: 2,
      undo: undoOnce,
    })
    .step('pack', { agent: packing, after: ['pay'], input: given, completeWithin, retries: 1 })
    .build();

const fork = defineWorkflow({ name: 'fork', version: 1, details })
  .step('reserve', {
    agent: stock,
    input: first,
    completeWithin: seconds(5),
    retries: 1,
    undo: undoInRounds,
  })
  .step('pay', {
    agent: payment,
    after: ['reserve'],
    input: given,
    completeWithin: seconds(8),
    retries: 1,
    coolDown: { after: seconds(10), times: 2, factor: 2.5, max: seconds(20) },
    undo: { ...undoInRounds, completeWithin: seconds(4) },
  })
  .step('pack', {
    agent: packing,
    after: ['reserve'],
    input: given,
    completeWithin: seconds(4),
    holdMax: seconds(20),
  })
  .step('send', {
    agent: dispatch,
    after: ['pay', 'pack'],
    input: given,
    completeWithin: seconds(6),
    retries: 1,
    onFault: 'hold',
    irreversible: true,
  })
  .build();

const careful = defineWorkflow({
  name: 'careful',
  version: 1,
  details,
  completeWithin: seconds(45),
})
  .step('reserve', { agent: stock, input: first, completeWithin: seconds(5), retries: 0 })
  .step('hurry', {
    agent: packing,
    input: first,
    when: ({ details: { express } }) => express,
    completeWithin: seconds(5),
    retries: 1,
    onFault: 'hold',
  })
  .step('pay', {
    agent: payment,
    after: ['reserve', 'hurry'],
    input: given,
    completeWithin: seconds(6),
    retries: 1,
    onFault: 'hold',
    onExhausted: 'hold',
  })
  .build();

/** Its packing takes long, with heartbeats. */
const patient = defineWorkflow({ name: 'patient', version: 1, details })
  .step('reserve', {
    agent: stock,
    input: first,
    completeWithin: seconds(10),
    retries: 1,
    undo: undoOnce,
  })
  .step('pack', {
    agent: packing,
    after: ['reserve'],
    input: (context) => ({ ...given(context), units: slowUnits }),
    completeWithin: seconds(8),
    maxDuration: seconds(20),
    retries: 1,
  })
  .step('pay', {
    agent: payment,
    after: ['pack'],
    input: given,
    completeWithin: seconds(15),
    holdMax: seconds(10),
    coolDown: { after: seconds(5), times: 1 },
  })
  .build();

/** The number of units that takes long. */
export const slowUnits = 1_000;

/** Its irreversible step comes early, so that a later fault leaves only forward recovery. */
const hasty = defineWorkflow({
  name: 'hasty',
  version: 1,
  details,
  completeWithin: seconds(60),
  onLate: 'undo',
})
  .step('send', {
    agent: dispatch,
    input: first,
    completeWithin: seconds(5),
    retries: 1,
    irreversible: true,
  })
  // Long compared with `pay`: it is running while `pay` is tried again.
  .step('reserve', { agent: stock, input: first, completeWithin: seconds(40), retries: 1 })
  .step('pay', {
    agent: payment,
    after: ['send', 'reserve'],
    input: given,
    completeWithin: seconds(5),
    retries: 0,
  })
  .build();

/** Its cool-down is longer than a message can be delayed. */
const pausing = defineWorkflow({ name: 'pausing', version: 1, details })
  .step('reserve', {
    agent: stock,
    input: first,
    completeWithin: seconds(5),
    retries: 0,
    coolDown: { after: limits.messageDelayMaxMs + seconds(100), times: 1 },
  })
  .step('pay', { agent: payment, after: ['reserve'], input: given, completeWithin: seconds(5) })
  .build();

/** Its steps of one agent are under way at once, so that their replies may arrive together. */
const parcels = defineWorkflow({ name: 'parcels', version: 1, details })
  .step('one', { agent: packing, input: first, completeWithin: seconds(8), retries: 1 })
  .step('two', { agent: packing, input: first, completeWithin: seconds(8), retries: 2 })
  .step('three', { agent: packing, input: first, completeWithin: seconds(8), retries: 1 })
  .step('reserve', {
    agent: stock,
    after: ['one', 'two'],
    input: given,
    completeWithin: seconds(5),
    retries: 1,
  })
  .step('send', {
    agent: dispatch,
    after: ['three', 'reserve'],
    input: given,
    completeWithin: seconds(6),
    retries: 1,
    onFault: 'hold',
    irreversible: true,
  })
  .build();

/** Its money comes from any of the tellers, or from the next one when it was given back to the first; and goes back to the same one. */
const cash = defineWorkflow({ name: 'cash', version: 1, details })
  .step('collect', {
    agent: backedTeller,
    input: first,
    completeWithin: seconds(5),
    retries: 1,
    coolDown: { after: seconds(2), times: 2 },
    undo: undoInRounds,
  })
  .step('pack', {
    agent: packing,
    after: ['collect'],
    input: given,
    completeWithin: seconds(5),
    retries: 1,
  })
  .step('settle', {
    agent: teller,
    after: ['pack'],
    input: given,
    completeWithin: seconds(6),
    retries: 2,
  })
  .build();

/** Its orders share one key, except every seventh, which has none. */
const keyed = (rule: SingletonRule) =>
  defineWorkflow({
    name: `keyed-${rule}`,
    version: 1,
    details,
    singleton: {
      key: ({ details: { units } }) => (units % 7 === 0 ? null : 'all'),
      ...(rule === 'debounce'
        ? { else: rule, quiet: seconds(6), atMost: seconds(15) }
        : { else: rule }),
    },
  })
    .step('reserve', {
      agent: stock,
      input: first,
      completeWithin: seconds(6),
      retries: 1,
      // It may wait for its agent for less time than earlier orders take.
      holdMax: seconds(2),
      coolDown: { after: seconds(1), times: 2 },
    })
    .step('send', {
      agent: dispatch,
      after: ['reserve'],
      input: given,
      when: ({ details: { express } }) => express,
      completeWithin: seconds(6),
      irreversible: true,
    })
    .step('pay', {
      agent: payment,
      after: ['send'],
      input: given,
      completeWithin: seconds(6),
      retries: 1,
      coolDown: { after: seconds(5), times: 1 },
    })
    .build();

const promptWorkflows = singletonRules.filter((rule) => rule !== 'debounce').map(keyed);
const debouncedWorkflow = keyed('debounce');

const old = [
  ...[sequence(1, seconds(6)), fork, careful, patient, hasty, pausing, parcels, cash],
  ...promptWorkflows,
  debouncedWorkflow,
];

/** What each version of the software knows; the newer one has a workflow that the older has not. */
export const registries = {
  old: workflowRegistry(old),
  new: workflowRegistry([
    ...old,
    sequence(2, seconds(9), { completeWithin: seconds(40), onLate: 'undo' }),
  ]),
} as const satisfies Record<Release, WorkflowRegistry>;

export const workflowNames = [
  'sequence',
  'fork',
  'careful',
  'patient',
  'hasty',
  'pausing',
  'parcels',
  'cash',
] as const;

/** Of so many worlds whose orders share a key, the orders of one wait for later ones. */
const debouncedEvery = 4;

/** The workflow of all orders of a world in which they share a key; null for most worlds. Not drawn: other worlds stay as they are. */
export function keyedWorkflowOf(seed: number): string | null {
  if (seed % 12 !== 0) return null;
  const number = seed / 12;
  if (number % debouncedEvery === debouncedEvery - 1) return debouncedWorkflow.name;
  return promptWorkflows[number % promptWorkflows.length]?.name ?? null;
}

/** The endpoints of the service of an agent; undefined: it has one address. */
export const endpointsOf = (agent: AgentName): readonly [Endpoint, Endpoint] | undefined =>
  agent === 'stock' ? [{ url: 'north', weight: 2 }, { url: 'south' }] : undefined;

/** The machine of an agent, and the services. */
export type Surroundings = AgentSurroundings & { readonly services: Pick<Services, 'of'> };

/** The agent's implementation on a machine. */
export const implementation = (
  agent: AgentName,
  machine: Machine,
  surroundings: Surroundings,
): AgentImplementation<Input, Output> =>
  implementationOf(
    {
      contract: contracts.find(({ name }) => name === agent) ?? dispatch,
      endpoints: endpointsOf(agent),
    },
    machine,
    surroundings,
  );

/** An agent, and the endpoints of its service. */
interface Implemented {
  readonly contract: AgentContract<Input, Output>;
  readonly endpoints: readonly [Endpoint, Endpoint] | undefined;
}

/** An implementation of a contract on a machine. */
export function implementationOf(
  { contract, endpoints }: Implemented,
  machine: Machine,
  { services, count, concurrency, rules }: Surroundings,
): AgentImplementation<Input, Output> {
  const agent = contract.name;
  const service = services.of(agent);
  const endpointOf = (call: Call) => (endpoints === undefined ? null : call.endpoint);
  const common = {
    contract,
    concurrency,
    ...(endpoints !== undefined && { endpoints }),
    async perform(input: Input, call: Call) {
      const { idempotencyKey: key, attempt, signal } = call;
      rules.receiving(key, attempt, { input, output: null });
      return count(agent, { machine, key, attempt, signal }, async () => {
        if (input.units === slowUnits) await takingLong(machine, () => call.heartbeat());
        return service.perform(machine, key, endpointOf(call));
      });
    },
  };
  if (contract.undo !== 'offered') return common;
  return {
    ...common,
    undo: ({ performKey, input, output }, call) => {
      rules.receiving(call.idempotencyKey, call.attempt, { input, output });
      const { attempt, signal } = call;
      const keys = { key: call.idempotencyKey, performKey };
      return count(agent, { machine, key: performKey, attempt, signal }, () =>
        service.undo(machine, keys, endpointOf(call)),
      );
    },
  };
}

async function takingLong({ clock }: Machine, heartbeat: () => void): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) {
    await new Promise<void>((resolve) => {
      clock.after(seconds(4) + 500, resolve);
    });
    heartbeat();
  }
}
