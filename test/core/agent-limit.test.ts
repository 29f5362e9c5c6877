/** Limits in the contracts of agents and pools: which are valid, and whom each counts. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { keyOf, type LimitOptions } from '#core/definition/agent-limit.ts';
import { definePool } from '#core/definition/agent-pool.ts';
import { limitsOf } from '#core/definition/registry.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { DefinitionError } from '#core/model/errors.ts';

const common = { input: z.string(), output: z.null(), undo: 'offered' } as const;
const tenant = ({ tenant: of }: { tenant: string | null }) => of;
const agent = (limits?: Readonly<Record<string, LimitOptions<string>>>) =>
  defineAgent({ name: 'pay', ...common, ...(limits !== undefined && { limits }) });
const using = (contract: ReturnType<typeof agent>, version = 1) =>
  defineWorkflow({ name: 'shop', version, details: z.null() })
    .step('pay', { agent: contract, input: () => 'x' })
    .build();

test.each<[string, LimitOptions<string>]>([
  ['nothing', {}],
  ['no call at once', { atOnce: 0 }],
  ['half a call at once', { atOnce: 1.5 }],
  ['too many calls at once', { atOnce: 10_001 }],
  ['no call per second', { rate: { count: 0, per: 1_000 } }],
  ['a rate per half a second', { rate: { count: 1, per: 500 } }],
  ['a rate per two days', { rate: { count: 1, per: 2 * 86_400_000 } }],
  ['a burst of more than its rate', { rate: { count: 3, per: 1_000, burst: 4 } }],
  ['no burst', { rate: { count: 3, per: 1_000, burst: 0 } }],
])('a limit of %s is refused, by its name', (_, limit) => {
  expect(() => agent({ whole: limit })).toThrow(
    expect.objectContaining<Partial<DefinitionError>>({
      code: 'limit-invalid',
      message: expect.stringContaining('limit pay/whole: '),
    }),
  );
});

test('the name of a limit has the form of a name', () => {
  expect(() => agent({ 'Not a name': { atOnce: 1 } })).toThrow('Not a name');
});

test('a contract without limits has none', () => {
  expect(agent()).not.toHaveProperty('limits');
  expect(agent({})).not.toHaveProperty('limits');
});

test('limits without a key count all calls of an agent, and those with a key a part of them', () => {
  const limits = limitsOf([
    using(agent({ 'per-tenant': { key: tenant, atOnce: 2 }, whole: { atOnce: 5 } })),
  ]);
  const { own, shared } = limits.get(agent().name) ?? { own: [], shared: [] };
  expect(own).toMatchObject([{ name: 'pay/whole', rate: null, atOnce: 5, key: null }]);
  expect(shared).toMatchObject([{ name: 'pay/per-tenant', atOnce: 2 }]);
});

test('the limits of a pool count the calls of all its members together', () => {
  const pool = definePool({
    name: 'bank',
    ...common,
    limits: { whole: { atOnce: 5 } },
    members: {
      east: { domain: 'one' },
      west: { domain: 'one' },
      rival: { limits: { own: { rate: { count: 1, per: 1_000 } } } },
    },
  });
  const limits = limitsOf([
    defineWorkflow({ name: 'shop', version: 1, details: z.null() })
      .step('pay', { agent: pool, input: () => 'x' })
      .build(),
  ]);
  const shared = new Set([...limits.values()].map((one) => one.shared));
  expect([...limits.keys()].toSorted()).toEqual([
    ...['bank', 'bank--one', 'bank-east', 'bank-rival', 'bank-west'],
  ]);
  expect(shared.size).toBe(1);
  expect(limits.get(pool.member('rival').name)?.own).toMatchObject([{ name: 'bank-rival/own' }]);
  expect(limits.get(pool.member('east').name)?.own).toEqual([]);
});

test('the latest version of a workflow says which limits hold', () => {
  const [old, without] = [agent({ whole: { atOnce: 5 } }), agent()];
  expect(limitsOf([using(without, 2), using(old, 1)]).size).toBe(0);
  expect(limitsOf([using(old, 2), using(without, 1)]).size).toBe(1);
});

test('a limit is not part of the fingerprint: it may change while orders run', () => {
  expect(using(agent({ whole: { atOnce: 5 } })).fingerprint).toBe(using(agent()).fingerprint);
});

test('a key is made from the input, the tenant and the workflow of the call, and from nothing else', () => {
  const call = { input: 'x', tenant: 'acme', workflow: 'shop' };
  const key = (of: object) => JSON.stringify(of);
  const request = { ...call, orderId: 'o1', attempt: 2 };
  expect(keyOf({ key }, request, () => {})).toBe(JSON.stringify(call));
});

test('a key is a text, or null where the limit does not apply; any other key is a failure', () => {
  const failures: unknown[] = [];
  const call = { input: 'x', tenant: 'acme', workflow: 'shop' };
  const of = (key: (() => unknown) | null) =>
    keyOf(
      // As code without types gives it.
      { key: key === null ? null : () => z.custom<string | null>().parse(key()) },
      call,
      (error) => failures.push(error),
    );
  expect([of(null), of(() => 'a'), of(() => ''), of(() => null)]).toEqual(['', 'a', '', null]);
  const failed = [of(() => 7), of(() => undefined), of(() => Promise.reject)];
  expect(new Set(failed).size).toBe(1);
  expect(typeof failed[0]).toBe('symbol');
  expect(failures).toHaveLength(3);
});
