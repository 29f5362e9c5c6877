/** The rules of the design, over random workflows in a world where everything goes wrong. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '#core/decide.ts';
import { limits } from '#core/limits.ts';
import { replay } from '#core/replay.ts';
import {
  asTheSimulatorDemands,
  attemptsAreBounded,
  completedOnce,
  dated,
  durableBeforeSent,
  everythingIsUndone,
  failuresCountOnce,
  judge,
  keysAndAttempts,
  repliesAreFenced,
  sizesAreBounded,
  startsOnce,
  startsWhenReady,
  storedAsItIs,
} from './rules.ts';
import {
  calm,
  current,
  grown,
  live,
  moves,
  type Observer,
  type World,
  workflows,
} from './world.ts';

/** Worlds per rule; REEVE_RUNS=10000 for a long night, REEVE_SEED for the same worlds again. */
const { REEVE_RUNS, REEVE_SEED } = process.env;
const drawn = {
  numRuns: Number(REEVE_RUNS ?? 400),
  ...(REEVE_SEED === undefined ? {} : { seed: Number(REEVE_SEED) }),
};

/** Chaos, then calm; the observer sees every decision of both. */
function inEveryWorld(observer: () => Observer, atTheEnd: (world: World) => void = () => {}): void {
  const world = fc.property(workflows, moves, (definition, happenings) => {
    const observe = observer();
    const ended = live(definition, happenings, observe);
    calm(ended, observe);
    atTheEnd(ended);
  });
  fc.assert(world, drawn);
}

const nothing: Observer = () => {};

describe('safety: in every world', () => {
  it.each([
    ['R3 to R16, as the simulator demands of every write', () => asTheSimulatorDemands],
    ['R3 no attempt starts twice', () => startsOnce],
    ['R4 a step starts only when all it comes after are done', () => startsWhenReady],
    ['R5 a Completed step is never performed again', () => completedOnce],
    [
      'R6 only a reply in time, to the current attempt, by its agent counts',
      () => repliesAreFenced,
    ],
    ['R8 tries share a key, attempts grow, new keys are for resubmits', () => keysAndAttempts],
    ['R10 Undone means undone, in order and not too early', () => everythingIsUndone],
    ['R11 a failure is counted once, however many sweeps see it', () => failuresCountOnce],
    ['R13 a request names an attempt that the record has', () => durableBeforeSent],
    ['every write is dated', () => dated],
    ['R14 attempts stay within the policy', attemptsAreBounded],
    ['R15 what is stored is read back as it was', () => storedAsItIs],
  ])('%s', (_, rule) => {
    inEveryWorld(() => judge(rule()));
  });

  it('R14 no record grows over its bound, however full it was, and every order comes to rest', () => {
    const { recordBytesToStart, recordBytesMax } = limits;
    const sizes = fc.integer({ min: recordBytesToStart - 20_000, max: recordBytesMax - 8_000 });
    const world = fc.property(workflows, moves, sizes, (definition, happenings, bytes) => {
      const observe = judge(sizesAreBounded);
      const full = live(definition, happenings, observe, (record) => grown(record, bytes));
      expect(calm(full, observe)).not.toBeNull();
    });
    fc.assert(world, { ...drawn, numRuns: Math.ceil(drawn.numRuns / 8) });
  });

  it('R15 the history replays to every revision that was written', () => {
    inEveryWorld(
      () => nothing,
      (world) => {
        const record = current(world);
        const replayed = replay(record, world.known);
        expect(replayed.at(-1)).toEqual(record);
        for (const revision of replayed) {
          const written = world.written[revision.revision - 1];
          if (!isDeepStrictEqual(revision, written)) expect(revision).toEqual(written);
        }
      },
    );
  });

  it('one decision is like another: no clock, no chance, no memory', () => {
    inEveryWorld(() => ({ before, event, known, nowMs, decision }) => {
      const again = decide(before, event, known, nowMs);
      if (!isDeepStrictEqual(again, decision)) expect(again).toEqual(decision);
    });
  });
});

describe('liveness: after all that, once it is calm', () => {
  it('R16 every order ends Processed, Undone or Error', () => {
    inEveryWorld(
      () => nothing,
      (world) => {
        expect(['Processed', 'Undone', 'Error']).toContain(current(world).processState);
      },
    );
  });

  it('R16 a sweep changes whatever is due, and the order comes to rest', () => {
    const world = fc.property(workflows, moves, (definition, happenings) => {
      expect(calm(live(definition, happenings, nothing), nothing)).not.toBeNull();
    });
    fc.assert(world, drawn);
  });

  it('R16 an order whose code works ends Processed or Undone when operators resubmit', () => {
    const world = fc.property(workflows, moves, (definition, happenings) => {
      const chaos = live(definition, happenings, nothing);
      let record = calm(chaos, nothing);
      for (let tries = 0; tries < 3 && record?.processState === 'Error'; tries += 1) {
        if (record.fault.code === 'workflow-code') return;
        chaos.written.push(resubmitted(chaos));
        record = calm(chaos, nothing);
      }
      if (record?.processState !== 'Error' || record.fault.code === 'workflow-code') return;
      throw new Error(`still in Error: ${record.fault.code} ${record.fault.message}`);
    });
    fc.assert(world, drawn);
  });
});

function resubmitted(world: World) {
  const event = { type: 'resubmit', by: 'olga' } as const;
  const decision = decide(current(world), event, world.known, world.nowMs);
  if (decision.kind === 'ignored') throw new Error(decision.reason);
  return decision.record;
}
