/** Options of wrong kinds, as code without types, or a mistake that a cast hides, gives them. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import { defineAgent } from '#core/definition/agent.ts';
import { definePool } from '#core/definition/agent-pool.ts';
import { checkImplementation } from '#core/definition/option-forms.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { DefinitionError } from '#core/model/errors.ts';
import { implementAgent } from '#ports/agent-implementation.ts';

const any = z.string();
const contract = { name: 'a', input: any, output: any, undo: 'offered' } as const;
const agent = defineAgent(contract);
const step = { agent, input: () => 'x' };
const workflow = { name: 'w', version: 1, details: any };
const pool = { ...contract, name: 'p', members: { a: {}, b: {} } };
const implementation = { contract: agent, perform: async () => 'x', undo: async () => {} };

/** Calls a function of the interface with options that its types refuse. */
const withOptions = (define: (options: never) => unknown, options: object): unknown =>
  Reflect.apply(define, undefined, [options]);

const stepOf = (options: object) => {
  const { step: add } = defineWorkflow(workflow);
  return Reflect.apply(add, undefined, ['s', options]);
};

test('options of the right kinds are accepted', () => {
  withOptions(defineAgent, { ...contract, limits: { l: { atOnce: 1, key: () => 'x' } } });
  withOptions(definePool, { ...pool, members: { a: { weight: 2, domain: 'd' }, b: {} } });
  stepOf({ ...step, when: undefined, retries: 1, coolDown: { after: 100, times: 1 } });
  class Code {
    readonly contract = agent;
    async perform(): Promise<string> {
      return 'x';
    }
    async undo(): Promise<void> {}
  }
  checkImplementation(new Code());
});

test.each<[string, object]>([
  ['agent a: `undo` must be one of offered, unneeded, impossible.', { undo: 'sometimes' }],
  ['agent a: `input` is missing.', { input: undefined }],
  ['agent a: `input` must be a schema of zod.', { input: { cents: 1 } }],
  ['agent a: `output` must be a schema of zod.', { output: null }],
  [
    'agent a: `input` must be a schema of zod 4, and this one is of zod 3: install zod 4.',
    { input: z3.string() },
  ],
  ['agent a: `undoes` is not known here.', { undoes: 'offered' }],
  ['agent a: `limits` must be an object.', { limits: [{ atOnce: 1 }] }],
  ['agent a: `limits.l` must be an object.', { limits: { l: null } }],
  ['agent a: `limits.l.key` must be a function.', { limits: { l: { atOnce: 1, key: 'cart' } } }],
  ['agent a: `limits.l.atonce` is not known here.', { limits: { l: { atOnce: 1, atonce: 2 } } }],
  ['agent a: `limits.l.rate` must be an object.', { limits: { l: { rate: 5 } } }],
  ['agent a: `limits.l.rate.per` is missing.', { limits: { l: { rate: { count: 5 } } } }],
])('of an agent: %s', (message, options) => {
  expect(() => withOptions(defineAgent, { ...contract, ...options })).toThrow(refusedWith(message));
});

test.each<[string, object]>([
  ['pool p: `failover` must be one of wait, undo-first.', { failover: 'maybe' }],
  ['pool p: `members` must be an object.', { members: ['a', 'b'] }],
  ['pool p: `members.a` must be an object.', { members: { a: null } }],
  ['pool p: `members.a.weight` must be a number.', { members: { a: { weight: '3' } } }],
  ['pool p: `members.a.wait` is not known here.', { members: { a: { wait: 3 } } }],
])('of a pool: %s', (message, options) => {
  expect(() => withOptions(definePool, { ...pool, ...options })).toThrow(refusedWith(message));
});

test.each<[string, object]>([
  ['workflow w, step s: `agent` is missing.', { agent: undefined }],
  ['workflow w, step s: `agent` must be an object.', { agent: 'payment' }],
  ['workflow w, step s: `input` must be a function.', { input: 'x' }],
  ['workflow w, step s: `when` must be a function.', { when: true }],
  ['workflow w, step s: `after` must be an array.', { after: 'reserve' }],
  ['workflow w, step s: `retries` must be a number.', { retries: '3' }],
  ['workflow w, step s: `onFault` must be one of hold, undo.', { onFault: 'explode' }],
  ['workflow w, step s: `onExhausted` must be one of hold, undo.', { onExhausted: 1 }],
  ['workflow w, step s: `irreversible` must be true or false.', { irreversible: 'no' }],
  ['workflow w, step s: `coolDown` must be an object.', { coolDown: 5 }],
  ['workflow w, step s: `undo.retry` is not known here.', { undo: { retry: 5 } }],
  ['workflow w, step s: `timeout` is not known here.', { timeout: 5_000 }],
])('of a step: %s', (message, options) => {
  expect(() => stepOf({ ...step, ...options })).toThrow(refusedWith(message));
});

test.each<[string, object]>([
  ['workflow w: `details` is missing.', { details: undefined }],
  ['workflow w: `details` must be a schema of zod.', { details: {} }],
  ['workflow w: `onLate` must be one of hold, undo.', { onLate: 'shout' }],
  ['workflow w: `singleton` must be an object.', { singleton: 'cart' }],
  [
    'workflow w: `singleton.quite` is not known here.',
    { singleton: { key: () => '', else: 'wait', quite: 5 } },
  ],
  ['workflow w: `timeout` is not known here.', { timeout: 5_000 }],
])('of a workflow: %s', (message, options) => {
  expect(() => withOptions(defineWorkflow, { ...workflow, ...options })).toThrow(
    refusedWith(message),
  );
});

test.each<[string, object]>([
  ['the implementation of agent a: `perform` is missing.', { perform: undefined }],
  ['the implementation of agent a: `perform` must be a function.', { perform: 'x' }],
  ['an implementation of an agent: `contract` is missing.', { contract: undefined }],
  ['the implementation of agent a: `endpoints.0.url` is missing.', { endpoints: [{}] }],
  ['the implementation of agent a: `concurrency` must be a number.', { concurrency: '8' }],
])('of an implementation: %s', (message, options) => {
  expect(() => withOptions(checkImplementation, { ...implementation, ...options })).toThrow(
    refusedWith(message),
  );
});

test('the code of an agent that is no object of a class has no other options', () => {
  const { perform, undo } = implementation;
  const code = { perform, undo, concurency: 8 };
  expect(() => Reflect.apply(implementAgent, undefined, [agent, code])).toThrow(
    refusedWith('the implementation of agent a: `concurency` is not known here.'),
  );
  class Code {
    readonly calls = 0;
    perform = perform;
    undo = undo;
  }
  expect(Reflect.apply(implementAgent, undefined, [agent, new Code()])).toMatchObject({
    contract: agent,
  });
});

test('names in definitions are refused with what they name', () => {
  const limits = { 'Per Cart': { atOnce: 1 } };
  expect(() => defineAgent({ ...contract, limits })).toThrow(
    '"Per Cart" is not the name of a limit',
  );
  expect(() => definePool({ ...pool, name: 'Pay' })).toThrow('"Pay" is not a pool name');
  expect(() => definePool({ ...pool, members: { Stripe: {} } })).toThrow(
    '"p-Stripe" is not POOL-MEMBER or POOL--DOMAIN',
  );
  const { member } = definePool({ ...pool, members: { a: {}, b: {} } });
  expect(member('b').name).toBe('p-b');
  expect(() => Reflect.apply(member, undefined, ['c'])).toThrow(
    new DefinitionError('pool-invalid', 'pool p: it has no member "c": its members are a, b.'),
  );
});

const refusedWith = (message: string) => new DefinitionError('options-invalid', message);
