/** Functions of authors that are async where the types do not hold them. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { keyOf } from '#core/definition/agent-limit.ts';
import { definePool } from '#core/definition/agent-pool.ts';
import { singletonKeyOf } from '#core/definition/singleton.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { newOrder } from '../support/orders.ts';

/** As from code without types. */
const untyped = (value: unknown) => Object(value);
const rejecting = untyped(async () => {
  throw new Error('not now');
});
const noPromise = 'It returned a promise: the function must not be async.';
const schema = z.object({ cents: z.int() });
const agent = defineAgent({ name: 'pay', input: schema, output: schema, undo: 'unneeded' });

/** An unhandled rejection would end the process of a user. */
async function unhandled(work: () => void): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  const note = (error: unknown) => seen.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  work();
  await turn();
  return seen;
}

test.each(['input', 'when'] as const)(
  'an async `%s` throws, and leaves no rejection',
  async (which) => {
    const options = { agent, input: () => ({ cents: 1 }), [which]: rejecting };
    const { steps } = defineWorkflow({ name: 'shop', version: 1, details: schema })
      .step('pay', untyped(options))
      .build();
    const context = untyped(newOrder('one', 0));
    expect(
      await unhandled(() => expect(() => steps[0]?.[which]?.(context)).toThrow(noPromise)),
    ).toEqual([]);
  },
);

test('an async key of a limit counts as one that throws', async () => {
  const errors: unknown[] = [];
  const call = { input: null, tenant: null, workflow: 'shop' };
  const work = () => void keyOf({ key: rejecting }, untyped(call), (error) => errors.push(error));
  expect(await unhandled(work)).toEqual([]);
  expect(errors).toMatchObject([{ message: noPromise }]);
});

test('an async key of a singleton counts as one that throws', async () => {
  const answers: unknown[] = [];
  const singleton = untyped({ key: rejecting, else: 'wait' });
  const work = () => void answers.push(singletonKeyOf(singleton, { details: 1, tenant: null }));
  expect(await unhandled(work)).toEqual([]);
  expect(answers).toMatchObject([{ kind: 'failed', error: { message: noPromise } }]);
});

test('a limit of a member with a key is refused: those are the limits of its pool', () => {
  const limits = { whole: { atOnce: 1, key: () => 'k' } };
  const members = untyped({ east: { limits } });
  const make = () => definePool({ name: 'pay', input: schema, output: schema, members });
  expect(make).toThrow('`members.east.limits.whole.key` is not known here');
});
