/** Pools of agents in one process, with virtual time. */
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { type AgentContract, defineAgent } from '#core/definition/agent.ts';
import { definePool } from '#core/definition/agent-pool.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { DefinitionError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import { replay } from '#core/view/replay.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import { checkAgents } from '#runtime/local/local-channels.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

const schemas = { input: z.null(), output: z.null() };
const payment = definePool({
  name: 'pay',
  ...schemas,
  undo: 'offered',
  members: { east: { domain: 'bank' }, west: { domain: 'bank' }, rival: {}, spare: { weight: 0 } },
});
const sale = defineWorkflow({ name: 'sale', version: 1, details: z.null() })
  .step('charge', {
    agent: payment,
    ...{ completeWithin: 5_000, retries: 0, coolDown: { after: 1_000, times: 9 } },
    input: () => null,
  })
  .build();
const members = ['east', 'west', 'rival', 'spare'] as const;
type Member = (typeof members)[number];

const implemented = (contract: AgentContract<null, null>): AgentImplementation<null, null> => ({
  contract,
  perform: async () => null,
  undo: async () => {},
});
const all = members.map((name) => implemented(payment.member(name)));

test('every member of a pool must be implemented, and no agent has the name of the pool', () => {
  expect(() => checkAgents([sale], all)).not.toThrow();
});

test.each(members.map((name, at) => ({ name, at })))(
  'without an implementation of $name, Reeve does not start',
  ({ name, at }) => {
    const check = () => checkAgents([sale], all.toSpliced(at, 1));
    expect(check).toThrow(DefinitionError);
    expect(check).toThrow(expect.objectContaining({ code: 'agent-missing' }));
    expect(check).toThrow(
      `workflow sale@1, step charge: no implementation of agent pay-${name} was given.`,
    );
  },
);

test('two implementations of one agent are refused', () => {
  expect(() => checkAgents([sale], [...all, ...all.slice(0, 1)])).toThrow(
    new DefinitionError(
      'agent-twice',
      'Two implementations of the agent pay-east were given: leave out one of them.',
    ),
  );
});

test.each([
  ['the pool', 'pay'],
  ['a group of its members', 'pay--bank'],
])('an agent with the name of %s is refused', (_, name) => {
  const other = implemented(defineAgent({ name, ...schemas, undo: 'offered' }));
  const check = () => checkAgents([sale], [...all, other]);
  expect(check).toThrow(DefinitionError);
  expect(check).toThrow(expect.objectContaining({ code: 'pool-invalid' }));
  expect(check).toThrow(`${name} is the name of a pool and of an agent`);
});

/** Each member makes one call at once; a call ends when the test says so. */
async function shop() {
  const clock = virtualClock();
  const log = testLog();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const member = (name: Member): AgentImplementation<null, null> => {
    const act = async (action: string, key: string) => {
      begun.push(`${action} ${key.split('/')[0]} at ${name}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      ends.set(name, resolve);
      await promise;
    };
    return {
      contract: payment.member(name),
      concurrency: 1,
      async perform(_, { idempotencyKey }) {
        await act('perform', idempotencyKey);
        return null;
      },
      undo: async (_, { idempotencyKey }) => act('undo', idempotencyKey),
    };
  };
  const reeve = await startLocalReeve({
    ...{ workflows: [sale], agents: members.map(member), path: ':memory:', clock, log },
    random: { next: () => 0.5 },
  });
  onTestFinished(() => reeve.close());
  return {
    ...{ reeve, clock, begun },
    async submit(key: string): Promise<OrderId> {
      const order = { workflow: 'sale', details: null, priority: 'normal', tenant: null } as const;
      const outcome = await reeve.submission.submit(
        { ...order, correlationId: null, replyTo: null, key },
        'ada',
      );
      if (outcome.kind !== 'accepted') throw new Error(outcome.code);
      await settled();
      return outcome.orderId;
    },
    async end(name: Member) {
      ends.get(name)?.();
      await settled();
    },
    async record(id: OrderId) {
      const record = (await reeve.store.records([id])).get(id);
      if (record === undefined) throw new Error(`no order ${id}`);
      return record;
    },
    pool: (name: string) => reeve.activity().pools.find((pool) => pool.name === name),
  };
}

/** Where the calls began, without the orders. */
const placesOf = (begun: readonly string[]) => begun.map((one) => one.split(' at ')[1]);

test('calls go to the members that have room, and the next order waits for all of them', async () => {
  const { submit, begun, end, record, pool, clock } = await shop();
  // The first calls of an agent are sent ahead: nothing is known of its time.
  const ids: OrderId[] = [];
  for (let order = 0; order < 30; order += 1) ids.push(await submit(`o${order}`));
  expect(placesOf(begun).toSorted()).toEqual(['east', 'rival', 'west']);
  const last = ids.at(-1);
  if (last === undefined) throw new Error('there are orders');
  expect(await record(last)).toMatchObject({
    steps: [{ agent: 'pay', progress: { state: 'Held', gate: 'concurrency' } }],
  });
  const waiting = pool('pay');
  expect(waiting).toMatchObject({ members: ['pay-east', 'pay-west', 'pay-rival'] });
  expect(waiting?.held).toMatchObject([{ gate: 'concurrency', steps: waiting?.waiting }]);
  expect(waiting?.waiting).toBeGreaterThan(15);
  expect(pool('pay--bank')).toMatchObject({ members: ['pay-east', 'pay-west'], waiting: 0 });
  // One member alone does the rest.
  for (let call = 0; call < 60; call += 1) {
    await end('rival');
    await clock.advance(1);
  }
  expect(placesOf(begun).filter((place) => place === 'rival').length).toBeGreaterThan(20);
  expect(pool('pay')?.waiting).toBe(0);
  for (const id of ids) {
    const stored = await record(id);
    const replayed = replay(stored, { definition: sale, details: null }).at(-1);
    expect({ ...replayed, writeId: stored.writeId }).toEqual(stored);
  }
});
