/** The worlds that are explored: what each is about, and how much may go wrong in it. */
import * as z from 'zod';
import { decide } from '#core/decide/decide.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { Budgets, SmallWorld } from './small-world.ts';

const agent = (name: string) =>
  defineAgent({ name, input: z.null(), output: z.null(), undo: 'offered' });
const one = agent('one');
const two = agent('two');
const three = agent('three');
const final = defineAgent({ name: 'final', input: z.null(), output: z.null() });

/** The shortest that is allowed: what counts is the order of instants, not their distance. */
const policy = { completeWithin: 50, input: () => null };
const oneTry = { ...policy, retries: 0 };
const twoTries = { ...policy, retries: 1 };
const rounds = { ...twoTries, coolDown: { after: 100, times: 1 } };

const begin = (name: string) => defineWorkflow({ name, version: 1, details: z.strictObject({}) });

const sequence = (tries: typeof oneTry) =>
  begin('sequence')
    .step('a', { agent: one, ...tries })
    .step('b', { agent: two, after: ['a'], ...tries })
    .build();

const nothing: Budgets = {
  duplicates: 0,
  losses: 0,
  crashes: 0,
  declines: 0,
  cancels: 0,
  resubmits: 0,
};
const everything: Budgets = {
  duplicates: 1,
  losses: 1,
  crashes: 1,
  declines: 1,
  cancels: 1,
  resubmits: 1,
};

/**
 * Each bounded so that all of it can be seen. In every one of them messages may be late without end,
 * agents may hang for ever and come back, and sweeps may come at any time or not for long.
 */
export const worlds: readonly SmallWorld[] = [
  {
    name: 'fork',
    about: 'one step, then two at once; a refusal and a cancel',
    workflow: begin('fork')
      .step('a', { agent: one, ...oneTry })
      .step('b', { agent: two, after: ['a'], ...oneTry })
      .step('c', { agent: three, after: ['a'], ...oneTry })
      .build(),
    budgets: { ...nothing, declines: 1, cancels: 1 },
    decide,
  },
  {
    name: 'held',
    about: 'a step that is held for a person, who resubmits or cancels',
    workflow: begin('held')
      .step('a', { agent: one, ...oneTry })
      .step('b', { agent: two, after: ['a'], ...oneTry, onExhausted: 'hold', onFault: 'hold' })
      .build(),
    budgets: { ...nothing, losses: 1, declines: 1, cancels: 1, resubmits: 1 },
    decide,
  },
  {
    name: 'one-way',
    about: 'a step that cannot be taken back, after one that can',
    workflow: begin('one-way')
      .step('a', { agent: one, ...oneTry })
      .step('b', { agent: final, after: ['a'], ...oneTry, irreversible: true, onExhausted: 'hold' })
      .build(),
    budgets: { ...nothing, crashes: 1, declines: 1, cancels: 1, resubmits: 1 },
    decide,
  },
  {
    name: 'diamond',
    about: 'two in sequence beside one, then a last; a crash and a cancel',
    workflow: begin('diamond')
      .step('a', { agent: one, ...oneTry })
      .step('b', { agent: two, after: ['a'], ...oneTry })
      .step('c', { agent: three, ...oneTry })
      .step('d', { agent: one, after: ['b', 'c'], ...oneTry })
      .build(),
    budgets: { ...nothing, crashes: 1, cancels: 1 },
    decide,
  },
  {
    name: 'single',
    about: 'one step, and all that can go wrong, once each',
    workflow: begin('single')
      .step('a', { agent: one, ...oneTry })
      .build(),
    budgets: everything,
    decide,
  },
  {
    name: 'sequence',
    about: 'two steps; a duplicate, a loss, a crash, a refusal, a cancel',
    workflow: sequence(oneTry),
    budgets: { ...everything, resubmits: 0 },
    decide,
  },
  {
    name: 'retries',
    about: 'two steps of two tries each, and a cancel',
    workflow: sequence(twoTries),
    budgets: { ...nothing, cancels: 1 },
    decide,
  },
  {
    name: 'parallel',
    about: 'two steps at once; a duplicate, a crash, a refusal, a cancel',
    workflow: begin('parallel')
      .step('a', { agent: one, ...oneTry })
      .step('b', { agent: two, ...oneTry })
      .build(),
    budgets: { ...nothing, duplicates: 1, crashes: 1, declines: 1, cancels: 1 },
    decide,
  },
  {
    name: 'patience',
    about: 'one step of two rounds of two tries, with the cool-down between, and its undo the same',
    workflow: begin('patience')
      .step('a', { agent: one, ...rounds })
      .build(),
    budgets: nothing,
    decide,
  },
];
