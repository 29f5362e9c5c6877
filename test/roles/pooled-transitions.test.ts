/** Orders with a pool of agents: whose gate lets a call through gets it, and a step waits for all that may have it. */
import { expect, test } from 'vitest';
import { decide } from '#core/decide/decide.ts';
import { type OrderId, orderId } from '#core/model/ids.ts';
import type { Request } from '#core/model/message.ts';
import type { PendingRecord } from '#core/model/record.ts';
import type { Gates } from '#ports/gates.ts';
import {
  anyone,
  backedTill,
  bank,
  claim,
  east,
  expire,
  newTill,
  rival,
  stepOf,
  succeeded,
  till,
  undone,
  west,
} from '../support/till.ts';
import { roleScenario } from './scenario.ts';

type Says = 'start' | 'concurrency' | 'circuit';

/** Gates that say this of each member. */
function world(says: Readonly<Record<string, Says>>, isLate = false, workflow = till) {
  const asked: string[] = [];
  const open = new Set<Request>();
  const unavailable = new Set<string>();
  const gates: Gates = {
    ask(requests) {
      const answers = requests.map((request) => {
        asked.push(request.agent);
        const said = says[request.agent] ?? 'start';
        if (said !== 'start') return { gate: said, until: clock.now() + 60_000 };
        open.add(request);
        return null;
      });
      return isLate ? Promise.resolve(answers) : answers;
    },
    release(requests) {
      for (const request of requests) open.delete(request);
    },
    isAvailable: (agent) => !unavailable.has(agent),
  };
  const roles = roleScenario(undefined, [workflow], undefined, gates);
  const { clock, store, transitions } = roles;
  const apply = (...events: readonly Parameters<typeof eventFor>[1][]) =>
    transitions.apply(events.map((event) => eventFor(id, event)));
  const id = orderId('o-1');
  return {
    ...roles,
    asked,
    open,
    unavailable,
    apply,
    async create(more: Partial<PendingRecord> = {}) {
      const record = { ...newTill('o-1', clock.now(), workflow), ...more };
      const order = { orderId: id, details: { cents: 5 }, digest: 'd', submittedAt: clock.now() };
      await store.create(order, record);
    },
    step: async () => stepOf(await roles.record(id)),
  };
}

const eventFor = (id: OrderId, event: typeof claim) => ({ orderId: id, event: () => event });

test.each([false, true])(
  'a call goes to the member whose gate lets it through (asked later: %s)',
  async (isLate) => {
    const { create, apply, step, requests, open } = world(
      { [east]: 'circuit', [rival]: 'concurrency' },
      isLate,
    );
    await create();
    await apply(claim);
    expect(await step()).toBe('Running teller-west');
    expect(requests().map(({ agent }) => agent)).toEqual([west]);
    expect([...open].map(({ agent }) => agent)).toEqual([west]);
  },
);

test.each([false, true])(
  'a step waits for the pool while every member refuses (asked later: %s)',
  async (isLate) => {
    const { create, apply, step, requests, asked, record } = world(
      { [east]: 'circuit', [west]: 'circuit', [rival]: 'concurrency' },
      isLate,
    );
    await create();
    await apply(claim);
    expect(await step()).toBe(`Held ${anyone}`);
    expect(requests()).toEqual([]);
    expect(asked.toSorted()).toEqual([east, rival, west]);
    const { steps } = await record(orderId('o-1'));
    expect(steps[0]?.progress).toMatchObject({ gate: 'concurrency' });
  },
);

test('a step in doubt asks only the members of its domain, the one that did not answer last', async () => {
  const says: Record<string, Says> = { [west]: 'circuit', [rival]: 'circuit' };
  const { create, apply, step, asked, clock, unavailable } = world(says);
  await create();
  await apply(claim);
  expect(await step()).toBe('Running teller-east');
  clock.jump(1_001);
  await apply(expire);
  asked.length = 0;
  says[east] = 'circuit';
  says[rival] = 'start';
  // It may be the probe of a member for which others wait.
  unavailable.add(west);
  await apply(claim);
  expect(asked).toEqual([west, east]);
  expect(await step()).toBe(`Held ${bank}`);
});

test.each([false, true])(
  'a step that was undone first asks the members of its domain last (asked later: %s)',
  async (isLate) => {
    const says: Record<string, Says> = { [west]: 'circuit', [rival]: 'circuit' };
    const { create, apply, step, asked, clock, requests } = world(says, isLate, backedTill);
    await create();
    await apply(claim);
    clock.jump(1_001);
    await apply(expire);
    clock.jump(100);
    await apply(claim);
    expect(await step()).toBe('Undoing teller-east');
    says[west] = 'start';
    says[rival] = 'start';
    asked.length = 0;
    await apply(undone(east, 2));
    expect(asked).toEqual([rival]);
    expect(await step()).toBe('Running teller-rival');
    expect(
      requests().map(({ action, agent, idempotencyKey }) => [action, agent, idempotencyKey]),
    ).toEqual([
      ['perform', east, 'o-1/collect'],
      ['undo', east, 'o-1/collect/undo'],
      ['perform', rival, 'o-1/collect#2'],
    ]);
  },
);

test.each([false, true])(
  'a step that was undone first goes back to its domain while no other begins it (asked later: %s)',
  async (isLate) => {
    const says: Record<string, Says> = { [west]: 'circuit', [rival]: 'circuit' };
    const { create, apply, step, asked, clock } = world(says, isLate, backedTill);
    await create();
    await apply(claim);
    clock.jump(1_001);
    await apply(expire);
    clock.jump(100);
    await apply(claim);
    asked.length = 0;
    await apply(undone(east, 2));
    expect(asked[0]).toBe(rival);
    expect(await step()).toBe('Running teller-east');
  },
);

test('a fresh step does not ask a member for which others wait, unless there is no other', async () => {
  const { create, apply, step, asked, unavailable } = world({ [east]: 'concurrency' });
  unavailable.add(west).add(rival);
  await create();
  await apply(claim);
  expect(asked).toEqual([east]);
  expect(await step()).toBe(`Held ${anyone}`);
  unavailable.add(east);
  asked.length = 0;
  await apply(claim);
  expect(asked.length).toBeGreaterThan(0);
});

test('no slot stays taken by a request that is not sent', async () => {
  const { create, apply, open, requests } = world({ [east]: 'circuit' }, true);
  await create();
  await apply(claim);
  const [sent] = requests();
  await apply(claim);
  await apply(succeeded(sent?.agent ?? 'none', 1));
  expect([...open].map(({ agent, attempt }) => `${agent} ${attempt}`)).toEqual([
    `${sent?.agent} 1`,
  ]);
});

test('a slot is released when the record has no room for the name of the member that has it', async () => {
  const { create, apply, requests, asked, open, clock } = world({
    [east]: 'circuit',
    [west]: 'circuit',
  });
  const details = { cents: 5 };
  /** Whether an order of this size is started at the first member. */
  const starts = (length: number) => {
    const record = { ...newTill('o-1', clock.now()), ...sized(length) };
    const decision = decide(record, claim, { definition: till, details }, clock.now());
    return (
      decision.kind === 'transition' && decision.commands.some(({ kind }) => kind === 'request')
    );
  };
  let [fits, isTooLong] = [0, 500_000];
  while (isTooLong - fits > 1) {
    const middle = Math.floor((fits + isTooLong) / 2);
    if (starts(middle)) fits = middle;
    else isTooLong = middle;
  }
  await create(sized(fits));
  await apply(claim);
  expect([asked.at(-1), requests(), [...open]]).toEqual([rival, [], []]);
});

const sized = (length: number) => ({ correlationId: 'x'.repeat(length) });
