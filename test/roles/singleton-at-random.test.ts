/**
 * Orders of two singleton keys at random: messages in any order, twice or never, several at once, with a store that fails and processes
 * that crash at any call of it. One order of a key works at a time, and each ends (R29).
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { singletonBreaches } from '#checkers/singleton-checker.ts';
import { singletonRules } from '#core/definition/singleton.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { SubmissionOutcome } from '#roles/submission.ts';
import { randoms } from '../support/randoms.ts';
import {
  cartWorkflow,
  type Faults,
  idOf,
  type SingletonWorld,
  type StoreFault,
  singletonWorld,
} from '../support/singleton-world.ts';

const carts = ['a', 'b'] as const;
const declined = {
  kind: 'failed',
  fault: { code: 'declined', message: 'No.', effect: 'none' },
} as const;
const packed = { kind: 'succeeded', output: { boxes: 1 } } as const;

const acts = fc.array(
  fc.record({
    what: fc.constantFrom(
      ...(['submit', 'submit', 'nudge', 'nudge', 'nudge', 'answer', 'answer', 'answer'] as const),
      ...(['decline', 'cancel', 'resubmit', 'twice', 'lose', 'wait', 'sweep'] as const),
    ),
    at: fc.nat({ max: 20 }),
    /** With the one before it, at the same time. */
    together: fc.boolean(),
    isFaulty: fc.boolean(),
  }),
  { maxLength: 60, size: 'max' },
);
type Act = (typeof acts extends fc.Arbitrary<infer Value> ? Value : never)[0];

async function perform(
  world: SingletonWorld,
  { what, at, isFaulty }: Act,
  draw: () => number,
  ids: OrderId[],
): Promise<void> {
  const faults: Faults = () => {
    if (!isFaulty || draw() > 0.2) return null;
    const all = ['refused', 'answer-lost', 'crash'] as const satisfies readonly StoreFault[];
    return all[Math.floor(draw() * 3)] ?? null;
  };
  const id = ids[at % Math.max(1, ids.length)];
  switch (what) {
    case 'submit': {
      const cart = carts[at % 2] ?? 'a';
      // A submission without an answer is not repeated here.
      const outcome = await world
        .submit(cart, { faults })
        .catch((): SubmissionOutcome | null => null);
      if (outcome?.kind === 'accepted') ids.push(outcome.orderId);
      return;
    }
    case 'nudge':
      return world.deliverNudge(at, faults, draw() < 0.9);
    case 'answer':
      return world.answer(at, packed, faults, draw() < 0.9);
    case 'decline':
      return world.answer(at, declined, faults, draw() < 0.9);
    case 'twice': {
      const nudge = world.nudges[at % Math.max(1, world.nudges.length)];
      if (nudge !== undefined) world.nudges.push(nudge);
      return;
    }
    case 'lose':
      world.nudges.splice(at, 1);
      return;
    case 'wait':
      return world.wait(at * 500);
    case 'cancel':
      if (id !== undefined) await world.cancel(id);
      return;
    case 'resubmit':
      if (id !== undefined) await world.resubmit(id);
      return;
    case 'sweep':
      await world.clock.advance(at * 2_000);
      return world.sweep();
  }
}

/** No faults any more: sweeps recover what is due, and an operator cancels or resubmits what has stopped. */
async function calm(world: SingletonWorld): Promise<readonly ProcessRecord[]> {
  for (let round = 0; round < 300; round += 1) {
    await world.settle();
    const { items } = await world.store.list({ processState: null, limit: 200, cursor: null });
    const left = items.filter(
      ({ processState }) => processState !== 'Processed' && processState !== 'Undone',
    );
    if (left.length === 0) return items;
    for (const { orderId, processState } of left) {
      if (processState === 'Error') await world.resubmit(orderId);
    }
    await world.clock.advance(60_000);
    await world.sweep();
  }
  throw new Error('an order does not end');
}

test.each(singletonRules)(
  '%s: one order of a key works at a time, and each ends (R29)',
  async (rule) => {
    await fc.assert(
      fc.asyncProperty(acts, fc.integer({ min: 1, max: 2 ** 31 - 2 }), async (all, seed) => {
        const { debounce } = cartWorkflow(rule).singleton ?? {};
        const draw = randoms(seed);
        const breaches: string[] = [];
        const judge = singletonBreaches(
          (_, message) => breaches.push(message),
          () => debounce,
        );
        const world = singletonWorld(rule, judge);
        const ids: OrderId[] = [];
        let running: Promise<void>[] = [];
        for (const act of all) {
          if (!act.together) {
            await Promise.all(running);
            running = [];
          }
          running.push(perform(world, act, draw, ids));
        }
        await Promise.all(running);
        await calm(world);
        // The keys are free: orders that are still in their lines keep no new one waiting.
        for (const cart of carts) {
          const last = await world.submit(cart);
          expect(last).not.toHaveProperty('skipped');
          await world.wait(debounce?.atMostMs ?? 0);
          await world.settle();
          expect(await world.record(idOf(last))).toMatchObject({ processState: 'Processed' });
        }
        expect(breaches).toEqual([]);
        world.store.close();
      }),
      { numRuns: 150 },
    );
  },
  120_000,
);
