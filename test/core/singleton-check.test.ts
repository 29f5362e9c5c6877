/** What the option `singleton` of a workflow must be, by its types and by its check. */
import { expect, it } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import type { SingletonOptions } from '#core/definition/singleton.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { DefinitionError } from '#core/model/errors.ts';

const agent = defineAgent({ name: 'mail', input: z.null(), output: z.null(), undo: 'unneeded' });

const refusalOf = (build: () => unknown): { code: string; message: string } => {
  try {
    build();
  } catch (error) {
    if (error instanceof DefinitionError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('was accepted');
};

const keyed = (singleton: object, completeWithin?: number) => () =>
  defineWorkflow({
    ...{ name: 'flow', version: 1, details: z.object({ cart: z.string() }) },
    ...(completeWithin !== undefined && { completeWithin }),
    singleton: { key: ({ details: { cart } }) => cart, else: 'wait', ...singleton },
  }).build();

it.each([
  [
    'a rule that is none',
    { else: 'queue' },
    'singleton.else is "queue", where "wait", "skip", "replace", "debounce" are allowed',
  ],
  ['a key that is no function', { key: 'cart' }, 'singleton.key is not a function'],
  [
    'no quiet',
    { else: 'debounce', atMost: 5_000 },
    'singleton.quiet (ms) is undefined; allowed is 100 to 604800000',
  ],
  [
    'no atMost',
    { else: 'debounce', quiet: 5_000 },
    'singleton.atMost (ms) is undefined; allowed is 5000 to 604800000',
  ],
  [
    'a quiet that is too short',
    { else: 'debounce', quiet: 99, atMost: 5_000 },
    'singleton.quiet (ms) is 99; allowed is 100 to 604800000',
  ],
  [
    'a quiet of a fraction',
    { else: 'debounce', quiet: 100.5, atMost: 5_000 },
    'singleton.quiet (ms) is 100.5; allowed is 100 to 604800000',
  ],
  [
    'an atMost that is shorter than its quiet',
    { else: 'debounce', quiet: 5_000, atMost: 4_999 },
    'singleton.atMost (ms) is 4999; allowed is 5000 to 604800000',
  ],
  [
    'an atMost that is too long',
    { else: 'debounce', quiet: 5_000, atMost: 604_800_001 },
    'singleton.atMost (ms) is 604800001; allowed is 5000 to 604800000',
  ],
  [
    'a quiet of another rule',
    { quiet: 5_000 },
    'singleton.quiet is of the rule "debounce", and singleton.else is "wait": state one of the two',
  ],
  [
    'an atMost of another rule',
    { else: 'skip', atMost: 5_000 },
    'singleton.atMost is of the rule "debounce", and singleton.else is "skip": state one of the two',
  ],
])('refuses a singleton with %s', (_, singleton, problem) => {
  expect(refusalOf(keyed(singleton))).toEqual({
    code: 'singleton-invalid',
    message: `workflow flow@1: ${problem}.`,
  });
});

it('refuses an order that would be late before it begins', () => {
  const singleton = { else: 'debounce', quiet: 5_000, atMost: 20_000 };
  expect(refusalOf(keyed(singleton, 5_000))).toEqual({
    code: 'singleton-invalid',
    message:
      'workflow flow@1: singleton.quiet (ms) is 5000, and an order must be finished 5000 ms after its submission: it would be late before it begins.',
  });
  // Then the workflow has no steps.
  expect(refusalOf(keyed(singleton, 5_001))).toMatchObject({ code: 'step-count' });
});

it('keeps the durations of a singleton, which are no part of the fingerprint', () => {
  const built = (singleton: SingletonOptions<{ cart: string }>) =>
    defineWorkflow({
      ...{ name: 'flow', version: 1, details: z.object({ cart: z.string() }), singleton },
    })
      .step('a', { agent, input: () => null })
      .build();
  const key = () => 'all';
  const quick = built({ key, else: 'debounce', quiet: 100, atMost: 100 });
  expect(quick.singleton).toEqual({
    ...{ key, else: 'debounce', debounce: { quietMs: 100, atMostMs: 100 } },
  });
  expect(built({ key, else: 'wait' }).singleton).toEqual({ key, else: 'wait' });
  expect(built({ key, else: 'wait' }).fingerprint).toBe(quick.fingerprint);
});

it('has the durations of its rule, and of no other, by its type', () => {
  const key = () => null;
  const given: readonly SingletonOptions<null>[] = [
    { key, else: 'wait' },
    { key, else: 'debounce', quiet: 100, atMost: 200 },
    // @ts-expect-error -- it has no durations
    { key, else: 'debounce' },
    // @ts-expect-error -- it has no latest begin
    { key, else: 'debounce', quiet: 100 },
    // @ts-expect-error -- another rule has none
    { key, else: 'replace', quiet: 100 },
  ];
  expect(given).toHaveLength(5);
});
