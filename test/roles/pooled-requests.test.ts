/** Orders with several steps of pools: each step goes to the member whose gate lets it through, and no slot is lost. */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { submitted } from '#core/decide/submit.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { definePool } from '#core/definition/agent-pool.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { RecordEvent } from '#core/model/event.ts';
import { agentName, orderId, schedulerId, writeId } from '#core/model/ids.ts';
import type { Request } from '#core/model/message.ts';
import { replay } from '#core/view/replay.ts';
import type { Gates } from '#ports/gates.ts';
import type { StateStore } from '#ports/state-store.ts';
import { roleScenario } from './scenario.ts';

const schemas = { input: z.null(), output: z.null() };
const ship = definePool({
  name: 'ship',
  ...schemas,
  undo: 'offered',
  members: { air: {}, sea: {} },
});
const post = defineAgent({ name: 'post', ...schemas, undo: 'offered' });
const options = { completeWithin: 1_000, holdMax: 60_000, input: () => null };
const parcels = defineWorkflow({ name: 'parcels', version: 1, details: z.null() })
  .step('one', { agent: ship, ...options })
  .step('two', { agent: ship, ...options })
  .step('label', { agent: post, ...options })
  .step('last', { agent: ship, after: ['one'], ...options })
  .build();

type Says = 'start' | 'circuit' | 'concurrency';
const id = orderId('o-1');
const claim: RecordEvent = { type: 'claim', by: schedulerId('s') };
const done = (step: 'one' | 'two', agent: string): RecordEvent => {
  const found = parcels.steps.find(({ name }) => name === step);
  if (found === undefined) throw new Error(`no step ${step}`);
  const from = { step: found.name, attempt: 1, agent: agentName(agent) };
  return { type: 'stepSucceeded', ...from, output: null };
};

/** `says`: what the gate of an agent says of a step, by `step agent`; else it lets the call through. */
async function world(
  says: Readonly<Record<string, Says>>,
  isLate: boolean,
  faulty: (store: StateStore) => StateStore = (store) => store,
) {
  const slots = new Set<unknown>();
  // Gates that read something know a request by its step: what is sent has the deadline of the later instant.
  const slotOf = (request: Request) =>
    isLate ? `${request.step} ${request.agent} ${request.attempt}` : request;
  const asked: string[][] = [];
  const gates: Gates = {
    ask(requests) {
      asked.push(requests.map(({ step, agent }) => `${step} ${agent}`));
      const answers = requests.map((request) => {
        const said = says[`${request.step} ${request.agent}`] ?? 'start';
        if (said !== 'start') return { gate: said, until: roles.clock.now() + 30_000 };
        slots.add(slotOf(request));
        return null;
      });
      return isLate ? Promise.resolve(answers) : answers;
    },
    release(requests) {
      for (const request of requests) {
        if (!slots.delete(slotOf(request))) throw new Error('it has no slot');
      }
    },
  };
  // Air is asked first, sea second.
  let draws = 0;
  const random = {
    next: () => {
      draws += 1;
      return draws % 2 === 1 ? 0.1 : 0.9;
    },
  };
  const roles = roleScenario(faulty, [parcels], random, gates);
  const at = roles.clock.now();
  const none = { tenant: null, replyTo: null, correlationId: null };
  const event = { type: 'submit', by: 'ada', orderId: id, priority: 'normal', ...none } as const;
  const { record } = submitted(event, parcels, at, writeId('w'));
  await roles.store.create({ orderId: id, details: null, digest: 'd', submittedAt: at }, record);
  const apply = (...events: readonly RecordEvent[]) =>
    roles.transitions.apply(events.map((one) => ({ orderId: id, event: () => one })));
  return {
    ...{ slots, slotOf, asked, apply, ...roles },
    sent: () => roles.requests().map(({ step, agent }) => `${step} ${agent}`),
    async steps() {
      const { steps } = await roles.record(id);
      return steps.map(({ name, agent, progress }) => `${name} ${progress.state} ${agent}`);
    },
    async replays() {
      const stored = await roles.record(id);
      const last = replay(stored, { definition: parcels, details: null }).at(-1);
      expect({ ...last, writeId: stored.writeId }).toEqual(stored);
    },
  };
}

/** Exactly the requests that were sent have slots. */
function everySlotIsUsed({ slots, slotOf, requests }: Awaited<ReturnType<typeof world>>): void {
  const sent = new Set<unknown>(requests().map(slotOf));
  expect([...slots].filter((slot) => !sent.has(slot))).toEqual([]);
  expect([...sent].filter((slot) => !slots.has(slot))).toEqual([]);
}

describe.each([
  ['at once', false],
  ['after they read something', true],
])('gates that answer %s', (_, isLate) => {
  test('are asked in rounds, and each step goes to its own member', async () => {
    const one = await world({ 'one ship-air': 'circuit', 'two ship-sea': 'circuit' }, isLate);
    await one.apply(claim);
    expect(one.asked).toEqual([['one ship-air', 'two ship-air', 'label post'], ['one ship-sea']]);
    expect(one.sent()).toEqual(['one ship-sea', 'two ship-air', 'label post']);
    everySlotIsUsed(one);
    await one.replays();
  });

  test('that let all through as planned are asked once', async () => {
    const one = await world({}, isLate);
    await one.apply(claim);
    expect(one.asked).toHaveLength(1);
    expect(one.sent()).toEqual(['one ship-air', 'two ship-air', 'label post']);
    everySlotIsUsed(one);
    await one.replays();
  });

  test('hold the step that no member can begin, beside others', async () => {
    const full = { 'two ship-air': 'circuit', 'two ship-sea': 'concurrency' } as const;
    const one = await world({ ...full, 'one ship-air': 'concurrency' }, isLate);
    await one.apply(claim);
    expect(one.sent()).toEqual(['one ship-sea', 'label post']);
    expect(await one.steps()).toEqual([
      'one Running ship-sea',
      'two Held ship',
      'label Running post',
      'last NotStarted ship',
    ]);
    const { history, steps } = await one.record(id);
    expect(steps[1]?.progress).toMatchObject({ gate: 'concurrency' });
    expect(history.at(-1)).toMatchObject({
      agents: [
        { step: 'one', agent: 'ship-sea' },
        { step: 'two', agent: 'ship' },
      ],
    });
    everySlotIsUsed(one);
    await one.replays();
  });

  test('hold a step without a pool beside a step of one', async () => {
    const one = await world({ 'label post': 'circuit', 'one ship-air': 'circuit' }, isLate);
    await one.apply(claim);
    expect(one.asked.flat().filter((asked) => asked === 'label post')).toHaveLength(1);
    expect(one.sent()).toEqual(['one ship-sea', 'two ship-air']);
    everySlotIsUsed(one);
    await one.replays();
  });

  test('are asked for the steps that two replies in one write start', async () => {
    const says = { 'last ship-air': 'concurrency' } as const;
    const one = await world(says, isLate);
    await one.apply(claim);
    one.slots.clear();
    await one.apply(done('two', 'ship-air'), done('one', 'ship-air'));
    expect(one.sent().at(-1)).toBe('last ship-sea');
    expect([...one.slots]).toEqual(one.requests().slice(-1).map(one.slotOf));
    await one.replays();
  });

  test('get back every slot of a decision that is not written', async () => {
    const says = { 'one ship-air': 'circuit' } as const;
    const one = await world(says, isLate, (store) => ({
      ...store,
      commit: () => Promise.reject(new Error('no disk')),
    }));
    expect(await one.apply(claim)).toMatchObject([{ kind: 'failed' }]);
    expect(one.asked.length).toBeGreaterThan(1);
    expect(one.slots.size).toBe(0);
  });

  test('get back the slot of a step that is not sent, because another hold has lasted too long', async () => {
    const says: Record<string, Says> = {
      ...{ 'one ship-air': 'circuit', 'one ship-sea': 'circuit', 'two ship-air': 'circuit' },
      ...{ 'two ship-sea': 'circuit', 'label post': 'circuit' },
    };
    const one = await world(says, isLate);
    await one.apply(claim);
    expect((await one.record(id)).processState).toBe('Pending');
    one.clock.jump(60_000);
    says['one ship-sea'] = 'start';
    await one.apply(claim);
    expect(one.sent()).toEqual([]);
    expect(one.slots.size).toBe(0);
    await one.replays();
  });
});
