/** The gates of a pool of three agents, of which two are a group, and the orders that wait. */
import type { AgentLimit } from '#core/definition/agent-limit.ts';
import type { Takers } from '#core/definition/agent-settings.ts';
import { agentName, idempotencyKey, orderId, stepName } from '#core/model/ids.ts';
import type { Request } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { agentGates } from '#in-process/agent-gates.ts';
import { tenantWeights } from '#in-process/tenant-weights.ts';
import { call } from './agent-requests.ts';
import { testLog } from './log.ts';
import { newOrder } from './orders.ts';
import { virtualClock } from './virtual-clock.ts';

const step = stepName('east');
/** By the name that an order waits under: the agents that it asks. */
export const namesOfPay = {
  pay: ['pay-a', 'pay-b', 'pay-c'],
  'pay--bank': ['pay-a', 'pay-b'],
  'pay-a': ['pay-a'],
  'pay-b': ['pay-b'],
  'pay-c': ['pay-c'],
};
export type Name = keyof typeof namesOfPay;
export const names = Object.keys(namesOfPay).filter((name): name is Name => name in namesOfPay);
export const agents = ['pay-a', 'pay-b', 'pay-c'] as const;

/** Each agent makes so many calls at once. @param shared limits of the pool */
export async function gatesOfPay(
  concurrency: number,
  shared: readonly AgentLimit[] = [],
  takers?: () => Takers,
) {
  const clock = virtualClock();
  /** What each order that waits waits under. */
  const waiting = new Map<string, Name>();
  const tenants = new Map<string, string>();
  const nudged: string[] = [];
  const gates = agentGates({
    concurrencyOf: new Map(agents.map((agent) => [agent, concurrency])),
    pools: new Map((['pay', 'pay--bank'] as const).map((name) => [name, namesOfPay[name]])),
    limits: new Map(names.map((name) => [name, { own: [], shared }])),
    ...(takers !== undefined && { takers }),
    weights: tenantWeights(),
    onCircuit() {},
    nudge: (nudge) => nudged.push(nudge.orderId),
    log: testLog(),
    clock,
  });
  // The first call of each takes a second, so that the next ones are not sent ahead.
  for (const agent of agents) {
    const first = requestOf('first', agent);
    await gates.of(agent).begin(first);
    clock.jump(1_000);
    gates.of(agent).end(first);
    clock.jump(-1_000);
  }
  function requestOf(order: string, agent: string): Request {
    const key = idempotencyKey(orderId(order), step, 'perform', 1);
    const own = { agent: agentName(agent), idempotencyKey: key, performKey: key };
    const tenant = tenants.get(order) ?? null;
    return {
      ...call('one'),
      orderId: orderId(order),
      ...own,
      input: order,
      tenant,
      completeBy: clock.now() + 1_000,
    };
  }

  /** @param since since when its step has been held */
  function store(
    order: string,
    before: Name | null,
    after: Name | null,
    since = clock.now(),
  ): void {
    const [is, was] = [after, before].map((name) => recordOf(order, name, since));
    if (is !== undefined && was !== undefined) gates.onRecord(is, was);
    if (after === null) waiting.delete(order);
    else waiting.set(order, after);
  }

  function recordOf(order: string, name: Name | null, since: number): ProcessRecord {
    const { record } = newOrder(order, 0);
    const until = clock.now() + 900_000;
    const held = { state: 'Held', gate: 'concurrency', since, until } as const;
    const before = { state: 'NotStarted' } as const;
    const steps = record.steps.map((one) =>
      one.name !== step || name === null
        ? one
        : { ...one, agent: agentName(name), progress: { ...held, before } },
    );
    const tenant = tenants.get(order) ?? null;
    return { ...record, tenant, steps, ...(name !== null && { isHeld: true }) };
  }

  /** Asks one agent after the other; the order waits, or is started. */
  function ask(order: string, name: Name, isWritten = true): Request | null {
    const before = waiting.get(order) ?? null;
    for (const agent of namesOfPay[name]) {
      const request = requestOf(order, agent);
      if (gates.ask([request])[0] !== null) continue;
      if (isWritten) store(order, before, null);
      else gates.release([request]);
      return isWritten ? request : null;
    }
    store(order, before, name);
    return null;
  }

  return {
    ...{ clock, gates, nudged, waiting, ask },
    /** An order that has been held since then is the next probe, which fails: it is held again. Forgets all nudges. */
    async failProbe(order: string, name: Name, since: number): Promise<void> {
      store(order, waiting.get(order) ?? null, name, since);
      await clock.advance(1_000);
      const request = ask(order, name);
      if (request === null) throw new Error(`${order} is not the next probe`);
      const admitted = gates.of(request.agent).admit(request);
      if (!('failed' in admitted)) throw new Error(`${order} is not admitted`);
      admitted.failed();
      gates.release([request]);
      store(order, null, name, since);
      nudged.length = 0;
    },
    /** It was held; its gates may say otherwise now. */
    wait: (order: string, name: Name, since?: number) =>
      store(order, waiting.get(order) ?? null, name, since),
    /** The calls of the agent fail until its circuit is open. */
    fail(agent: Name) {
      for (let failed = 0; gates.of(agent).state() === 'closed'; failed += 1) {
        const request = requestOf(`failed_${failed}`, agent);
        if (gates.ask([request])[0] !== null) throw new Error(`${agent} has no slot`);
        const admitted = gates.of(agent).admit(request);
        if ('failed' in admitted) admitted.failed();
        gates.release([request]);
      }
    },
    cancel: (order: string) => store(order, waiting.get(order) ?? null, null),
    of(tenant: string, order: string) {
      tenants.set(order, tenant);
      return order;
    },
  };
}
