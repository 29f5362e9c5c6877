/** Compares the attempts that a record shows to have ended with those that its revisions began and ended. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type EndedAttempt, endedAttempts } from '#core/model/attempts/ended-attempts.ts';
import { shortened } from '#core/model/history.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { endedIn, steadyMoves } from './ended-in.ts';
import { by, cancel, claim, defer, epoch, expire, flow, play, submit, undoOk } from './support.ts';
import {
  backedWorkflows,
  current,
  live,
  type Move,
  moves,
  type World,
  workflows,
} from './world.ts';

const seed = process.env['REEVE_SEED'];
const inEveryWorld = (happenings: fc.Arbitrary<readonly Move[]>, judge: (world: World) => void) => {
  const world = fc.property(fc.oneof(workflows, backedWorkflows), happenings, (definition, drawn) =>
    judge(live(definition, drawn, () => {})),
  );
  fc.assert(world, { numRuns: 400, ...(seed === undefined ? {} : { seed: Number(seed) }) });
};

type Numbered = Pick<EndedAttempt, 'step' | 'attempt' | 'at'>;
const numbersOf = (all: readonly Numbered[]) =>
  all.map(({ step, attempt, at }) => `${step} ${attempt} until ${at}`);
const actionsOf = (all: readonly (Numbered & Pick<EndedAttempt, 'action'>)[]) =>
  all.map(({ step, attempt, action }) => `${action} ${step} ${attempt}`).toSorted();

it('each attempt that has ended is shown once, with its number and its end', () => {
  inEveryWorld(moves, (world) => {
    const all = numbersOf(endedAttempts(current(world)));
    expect(all.toSorted()).toEqual(numbersOf(endedIn(world.written)).toSorted());
  });
});

it('a history that was shortened shows the latest of them', () => {
  inEveryWorld(moves, (world) => {
    const record = current(world);
    const latest = numbersOf(endedAttempts({ ...record, history: shortened(record.history) }));
    expect(numbersOf(endedIn(world.written))).toEqual(expect.arrayContaining(latest));
  });
});

it('hardly any is shown as the perform or the undo that it was not', () => {
  const drawn = fc.sample(fc.tuple(fc.oneof(workflows, backedWorkflows), steadyMoves), {
    numRuns: 2_000,
    seed: 1,
  });
  const [seen, wrong]: [string[], string[]] = [[], []];
  for (const [definition, happenings] of drawn) {
    // An irreversible step may turn an order forward again, which its history does not show.
    if (definition.steps.some(({ policy }) => policy.irreversible)) continue;
    const world = live(definition, happenings, () => {});
    const shown = actionsOf(endedAttempts(current(world)));
    const own = actionsOf(endedIn(world.written));
    seen.push(...own);
    wrong.push(...shown.filter((one) => !own.includes(one)));
  }
  expect(seen.length).toBeGreaterThan(2_000);
  expect(wrong.length).toBeLessThan(seen.length / 1_000);
});

it('a perform that was in flight at the cancel is none of the undos after it, in a shortened history too', () => {
  const tries = (first: number, count: number): Parameters<typeof play>[1][] =>
    Array.from({ length: count }, (_, at) => first + at * 2_000).flatMap((at) => [
      [at, claim()],
      [at + 1_900, expire],
    ]);
  const patient = submit(flow({ a: { retries: 3, coolDown: { after: 100, times: 5 } } }));
  const { record } = play(
    patient,
    ...tries(0, 3),
    [6_000, claim()],
    [6_001, cancel],
    [7_900, expire],
    ...tries(8_000, 1),
    [10_000, claim()],
    [10_005, defer('a', 6, 5)],
    ...tries(12_000, 1),
  );
  const shown = (history: ProcessRecord['history']) =>
    endedAttempts({ ...record, history }).map((one) => `${one.attempt} ${one.action} ${one.end}`);
  const latest = ['4 perform timedOut', '5 undo timedOut', '6 undo deferred', '7 undo timedOut'];
  const performs = [1, 2, 3].map((attempt) => `${attempt} perform timedOut`);
  expect(shown(record.history)).toEqual([...performs, ...latest]);
  expect(shown(shortened(record.history))).toEqual(latest);
});

it('an undo that timed out while its order goes forward is an undo, in a shortened history too', () => {
  const backed = submit(
    flow({
      a: {
        pool: { north: {}, south: {} },
        failover: 'undo-first',
        retries: 0,
        coolDown: { after: 100, times: 2 },
        undoPolicy: { retries: 1, coolDown: { after: 100, times: 1 } },
      },
    }),
  );
  const undoing = play(
    backed,
    [0, claim()],
    [1_001, expire],
    [1_101, claim()],
    [2_102, expire],
    [2_103, claim()],
  );
  const anew = play(
    undoing,
    [2_200, by('a-north', undoOk('a', 3))],
    [3_300, expire],
    [3_400, claim()],
  );
  const shown = ({ history }: ProcessRecord) =>
    endedAttempts({ ...anew.record, history }).map((one) => `${one.attempt} ${one.action}`);
  const { record } = anew;
  expect(shown(record)).toEqual(['1 perform', '2 undo', '3 undo', '4 perform']);
  // Without the claim that began the undo, and what came before it.
  const marker = { type: 'shortened', at: epoch + 1_101, entries: 3, claims: 2 } as const;
  const history = record.history.toSpliced(1, 3, marker);
  expect(shown({ ...record, history })).toEqual(['2 undo', '3 undo', '4 perform']);
});
