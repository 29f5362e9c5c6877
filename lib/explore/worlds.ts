/** The explored worlds, each with its purpose and its budget of faults. */
import * as z from 'zod';
import { decide } from '#core/decide/decide.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { definePool } from '#core/definition/agent-pool.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { LeaseWorld } from './leased-room.ts';
import type { SharedWorld } from './shared-gates.ts';
import type { Budgets, SmallWorld } from './small-world.ts';

const agent = (name: string) =>
  defineAgent({ name, input: z.null(), output: z.null(), undo: 'offered' });
const one = agent('one');
const two = agent('two');
const three = agent('three');
const pool = definePool({
  name: 'pool',
  input: z.null(),
  output: z.null(),
  undo: 'offered',
  members: { east: { domain: 'bank' }, west: { domain: 'bank' }, rival: {} },
});
/** Two domains that back each other up. */
const backed = definePool({
  name: 'backed',
  input: z.null(),
  output: z.null(),
  undo: 'offered',
  members: { east: {}, west: {} },
  failover: 'undo-first',
});
const final = defineAgent({ name: 'final', input: z.null(), output: z.null() });

/** The minimum deadline: only the order of instants matters, not their distance. */
const policy = { completeWithin: 50, input: () => null };
/** The usual policy of an undo, which has hundreds of attempts, would make a world too large. */
const noCoolDown = { after: 100, times: 0 };
const finalTry = { ...policy, retries: 0 };
const oneTry = { ...finalTry, undo: { retries: 0, coolDown: noCoolDown } };
/** Ends after the deadline of its order. */
const slowFinal = { ...finalTry, completeWithin: 2_000 };
const slowTry = { ...oneTry, completeWithin: 2_000 };
const twoTries = { ...policy, retries: 1, undo: { retries: 1, coolDown: noCoolDown } };
const coolDown = { after: 100, times: 1 };
const rounds = { ...twoTries, coolDown, undo: { retries: 1, coolDown } };

const begin = (
  name: string,
  deadline: { onLate?: 'hold' | 'undo'; completeWithin?: number } = {},
) => defineWorkflow({ name, version: 1, details: z.strictObject({}), ...deadline });

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
 * Each is small enough for a complete exploration. In all of them messages can be delayed without limit,
 * agents can hang for any time, and sweeps can come at any time or be missing for any time.
 */
export const worlds: readonly SmallWorld[] = [
  {
    name: 'fork',
    about: 'one step, then two in parallel; a refusal and a cancel',
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
    about: 'a step that waits for an operator, who resubmits or cancels',
    workflow: begin('held')
      .step('a', { agent: one, ...oneTry })
      .step('b', { agent: two, after: ['a'], ...oneTry, onExhausted: 'hold', onFault: 'hold' })
      .build(),
    budgets: { ...nothing, losses: 1, declines: 1, cancels: 1, resubmits: 1 },
    decide,
  },
  {
    name: 'one-way',
    about: 'an irreversible step after a reversible one',
    workflow: begin('one-way')
      .step('a', { agent: one, ...oneTry })
      .step('b', {
        agent: final,
        after: ['a'],
        ...finalTry,
        irreversible: true,
        onExhausted: 'hold',
      })
      .build(),
    budgets: { ...nothing, crashes: 1, declines: 1, cancels: 1, resubmits: 1 },
    decide,
  },
  {
    name: 'diamond',
    about: 'two steps in sequence, one in parallel, then a last one; a crash and a cancel',
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
    about: 'one step, and each fault and command once',
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
    about: 'two steps with two attempts each, and a cancel',
    workflow: sequence(twoTries),
    budgets: { ...nothing, cancels: 1 },
    decide,
  },
  {
    name: 'parallel',
    about: 'two steps in parallel; a duplicate, a crash, a refusal, a cancel',
    workflow: begin('parallel')
      .step('a', { agent: one, ...oneTry })
      .step('b', { agent: two, ...oneTry })
      .build(),
    budgets: { ...nothing, duplicates: 1, crashes: 1, declines: 1, cancels: 1 },
    decide,
  },
  {
    name: 'patience',
    about:
      'one step with two rounds of two attempts and a cool-down, and its undo with the same policy',
    workflow: begin('patience')
      .step('a', { agent: one, ...rounds })
      .build(),
    budgets: nothing,
    decide,
  },
  {
    name: 'pool',
    about:
      'one step of a pool of two domains, whose role may choose any member; a refusal, a cancel, a resubmit',
    workflow: begin('pool')
      .step('a', { agent: pool, ...policy, retries: 1, onFault: 'hold', undo: oneTry.undo })
      .build(),
    budgets: { ...nothing, declines: 1, cancels: 1, resubmits: 1 },
    decide,
  },
  {
    name: 'failover',
    about:
      'one step of a pool that undoes it in the domain of its doubt before another domain gets it; a refusal, a resubmit',
    workflow: begin('failover')
      .step('a', { agent: backed, ...finalTry, coolDown, onFault: 'hold', undo: oneTry.undo })
      .build(),
    budgets: { ...nothing, declines: 1, resubmits: 1 },
    decide,
  },
  {
    name: 'deadline',
    about:
      'two steps and a deadline of the order, after which it is undone; a refusal and a resubmit',
    workflow: begin('deadline', { completeWithin: 1_000, onLate: 'undo' })
      .step('a', { agent: one, ...oneTry })
      .step('b', { agent: two, after: ['a'], ...slowTry, onFault: 'hold' })
      .build(),
    budgets: { ...nothing, declines: 1, resubmits: 1 },
    decide,
  },
  {
    name: 'late',
    about: 'an irreversible step and a deadline of the order, after which an operator decides',
    workflow: begin('late', { completeWithin: 1_000 })
      .step('a', { agent: one, ...oneTry })
      .step('b', { agent: final, after: ['a'], ...slowFinal, irreversible: true })
      .build(),
    budgets: { ...nothing, crashes: 1, cancels: 1, resubmits: 1 },
    decide,
  },
];

const kept = (name: string) =>
  defineAgent({ name, input: z.null(), output: z.null(), undo: 'unneeded' });
const [keptOne, keptTwo] = [kept('one'), kept('two')];
/** Without an undo, so that two orders together have few states. */
const heldTry = { ...finalTry, onExhausted: 'hold', holdMax: 1_000 } as const;

/** Two orders in each, which wait for each other's calls. */
export const sharedWorlds: readonly SharedWorld[] = [
  {
    name: 'gates',
    about: 'two orders of two steps in parallel, and two agents of one call each',
    workflow: begin('gates')
      .step('a', { agent: keptOne, ...heldTry })
      .step('b', { agent: keptTwo, ...heldTry })
      .build(),
    budgets: nothing,
    decide,
  },
  {
    name: 'queue',
    about: 'two orders of two steps in sequence, two agents of one call each; a loss, a crash',
    workflow: begin('queue')
      .step('a', { agent: keptOne, ...heldTry })
      .step('b', { agent: keptTwo, after: ['a'], ...heldTry })
      .build(),
    budgets: { ...nothing, losses: 1, crashes: 1 },
    decide,
  },
  {
    name: 'turns',
    about: 'two orders of one step each, which is undone when it is held for too long',
    workflow: begin('turns')
      .step('a', { agent: one, ...oneTry, holdMax: 1_000 })
      .build(),
    budgets: nothing,
    decide,
  },
];

/** Orders that lease room in both of two limits for each call. */
export const leaseWorlds: readonly LeaseWorld[] = [
  {
    name: 'leases',
    about: 'two orders whose calls need room in two limits; a lost answer, a crash',
    orders: 2,
    budgets: { losses: 1, crashes: 1, pauses: 0 },
  },
  {
    name: 'pauses',
    about: 'two orders whose calls need room in two limits; a crash, a Scheduler that is slow',
    orders: 2,
    budgets: { losses: 0, crashes: 1, pauses: 1 },
  },
  {
    name: 'crowd',
    about: 'three orders whose calls need room in two limits',
    orders: 3,
    budgets: { losses: 0, crashes: 0, pauses: 0 },
  },
];
