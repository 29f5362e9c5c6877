/** Who gets the slots of the members of a pool, over thousands of calls: everybody in turn, and no slot is lost. */
import { expect, test } from 'vitest';
import type { AgentLimit } from '#core/definition/agent-limit.ts';
import type { Request } from '#core/model/message.ts';
import { agents, gatesOfPay, type Name, names } from '../support/pool-gates.ts';
import { randoms } from '../support/randoms.ts';

/** Serves so many calls of one agent, one after the other: of which kind each was. */
async function served(names: readonly Name[], calls: number) {
  const world = await gatesOfPay(1);
  const { gates, nudged, waiting, ask } = world;
  let number = 0;
  const add = (name: Name) => {
    number += 1;
    return ask(`${name}_${number}`, name);
  };
  // The others make no call end.
  for (const agent of ['pay-b', 'pay-c'] as const) add(agent);
  let open = add('pay-a');
  const counts = new Map<string, number>();
  for (let served = 0; served < calls; served += 1) {
    for (const name of names) {
      while ([...waiting.values()].filter((one) => one === name).length < 3) add(name);
    }
    if (open === null) throw new Error('the agent does nothing');
    gates.release([open]);
    const order = nudged.pop() ?? '';
    const name = waiting.get(order);
    if (name === undefined) throw new Error(`${order} does not wait`);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    open = ask(order, name);
  }
  return Object.fromEntries(counts);
}

test('of a thousand slots, what waits for the member and what waits for its pool get half each', async () => {
  expect(await served(['pay', 'pay-a'], 1_000)).toEqual({ pay: 500, 'pay-a': 500 });
});

test('of a thousand slots, what waits for the member and what waits for its group get half each', async () => {
  expect(await served(['pay--bank', 'pay-a'], 1_000)).toEqual({ 'pay--bank': 500, 'pay-a': 500 });
});

test('what waits for the pool does not starve what waits for a group of its members', async () => {
  const counts = await served(['pay', 'pay--bank', 'pay-a'], 1_000);
  for (const name of ['pay', 'pay--bank', 'pay-a']) expect(counts[name]).toBeGreaterThan(200);
});

test('a step that waits for a pool has the slot that was reserved for another one, which was cancelled', async () => {
  const { ask, gates, nudged, cancel } = await gatesOfPay(1);
  const [open] = agents.map((agent) => ask(`first_${agent}`, agent));
  if (!open) throw new Error('the agent does nothing');
  ask('bound', 'pay-a');
  gates.release([open]);
  ask('any', 'pay');
  expect(nudged).toEqual(['bound']);
  cancel('bound');
  expect(nudged).toEqual(['bound', 'any']);
});

/** The part of the tenant before or after its dash; null where it has none. */
const partOf = (at: number) => (call: { readonly tenant: string | null }) =>
  call.tenant?.split('-')[at] || null;
const limitOf = (name: string, at: number, more: Pick<AgentLimit, 'rate' | 'atOnce'>) =>
  ({ name, key: partOf(at), ...more }) satisfies AgentLimit;

test('a key that a step comes to later is not forgotten, however many others there are', async () => {
  const perMinute = { count: 1, per: 60_000, burst: 1 };
  const { ask, gates, clock, of } = await gatesOfPay(2_000, [
    limitOf('pay/card', 0, { rate: perMinute, atOnce: null }),
    limitOf('pay/shop', 1, { rate: null, atOnce: 1 }),
  ]);
  await clock.advance(2 * perMinute.per);
  const called = async (tenant: string, order: string, ends = true) => {
    const request = ask(of(tenant, order), 'pay-a');
    if (request === null) throw new Error(`${order} waits`);
    await gates.of('pay-a').begin(request);
    if (ends) gates.of('pay-a').end(request);
  };
  await called('visa', 'first');
  // It waits for its card, and then for its shop.
  expect(ask(of('visa-inn', 'waits'), 'pay-a')).toBeNull();
  for (let other = 0; other < 1_005; other += 1) await called(`card${other}`, `other_${other}`);
  await called('cash-inn', 'in-the-shop', false);
  await clock.advance(perMinute.per);
  expect(ask('waits', 'pay-a')).toBeNull();
});

test('the tenants that wait for a pool share the slots of its members', async () => {
  const world = await gatesOfPay(1);
  const { gates, nudged, ask, of } = world;
  const open = agents.map((agent) => ask(`first_${agent}`, agent));
  for (let order = 0; order < 300; order += 1) ask(of('big', `big_${order}`), 'pay');
  for (let order = 0; order < 30; order += 1) ask(of('small', `small_${order}`), 'pay');
  const counts = { big: 0, small: 0 };
  for (let served = 0; served < 45; served += 1) {
    const request = open[served % 3];
    if (!request) throw new Error('the agent does nothing');
    gates.release([request]);
    const order = nudged.pop() ?? '';
    counts[order.startsWith('big') ? 'big' : 'small'] += 1;
    open[served % 3] = ask(order, 'pay');
  }
  expect(counts.small).toBeGreaterThanOrEqual(20);
});

test.each(Array.from({ length: 12 }, (_, seed) => seed + 1))(
  'no slot is lost or given twice, and everything that waits starts: world %i',
  async (seed) => {
    const random = randoms(seed * 7_919);
    const dice = (sides: number) => Math.floor(random() * sides);
    const { clock, gates, nudged, waiting, ask, cancel } = await gatesOfPay(2);
    const running: Request[] = [];
    let number = 0;
    const started = (request: Request | null) => {
      if (request !== null) running.push(request);
      for (const agent of agents) {
        expect(running.filter((one) => one.agent === agent).length).toBeLessThanOrEqual(2);
      }
    };
    const claim = (isWritten = true) => {
      const order = nudged.shift() ?? '';
      const name = waiting.get(order);
      if (name === undefined) return;
      if (!isWritten) ask(order, name, false);
      // A nudge whose order was not written is delivered again.
      started(ask(order, name));
    };
    const end = () => {
      const [request] = running.splice(dice(running.length), 1);
      if (request !== undefined) gates.release([request]);
    };
    for (let move = 0; move < 1_500; move += 1) {
      const what = dice(20);
      if (what < 6) {
        number += 1;
        started(ask(`o${number}`, names[dice(names.length)] ?? 'pay'));
      } else if (what < 12) end();
      else if (what < 16) claim();
      else if (what === 16) claim(false);
      else if (what === 17) cancel([...waiting.keys()][dice(waiting.size)] ?? 'none');
      // A nudge is lost.
      else if (what === 18) nudged.shift();
      else await clock.advance(dice(12_000));
    }
    for (let turn = 0; turn < 5_000 && waiting.size > 0; turn += 1) {
      if (nudged.length > 0) claim();
      else if (running.length > 0) end();
      else await clock.advance(10_000);
    }
    expect([...waiting.values()]).toEqual([]);
    gates.release(running.splice(0));
    await clock.advance(20_000);
    for (const agent of agents) {
      const answers = [1, 2, 3].map((at) => ask(`${agent}_${at}`, agent) !== null);
      expect(answers).toEqual([true, true, false]);
    }
    gates.close();
    expect(clock.pending()).toBe(0);
  },
);
