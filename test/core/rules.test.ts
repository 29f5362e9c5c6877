/** The rules of the design, over random workflows with random faults. */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkHistory } from '#checkers/end-checker.ts';
import { decide } from '#core/decide/decide.ts';
import { limits } from '#core/model/limits.ts';
import { replay } from '#core/view/replay.ts';
import { failuresCountOnce, lives, sizesAreBounded, storedAsItIs, writes } from './rules.ts';
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

/** Worlds per rule; REEVE_RUNS sets their number, and REEVE_SEED repeats the same worlds. */
const { REEVE_RUNS, REEVE_SEED } = process.env;
const drawn = {
  numRuns: Number(REEVE_RUNS ?? 400),
  ...(REEVE_SEED === undefined ? {} : { seed: Number(REEVE_SEED) }),
};

/** A phase with faults, then one without; the observer sees every decision of both. */
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
    ['R3 to R20, as the checkers demand of every write and of its commands', writes],
    ['R3, R8, R10, R12, R13, R14, as they demand of one write after the other', lives],
    ['R11 a failure is counted once, however many sweeps see it', failuresCountOnce],
    ['R15 what is stored is read back as it was', storedAsItIs],
  ])('%s', (_, observer) => {
    inEveryWorld(observer);
  });

  it('R14 no record exceeds its bound, and every order becomes quiescent', () => {
    const { recordBytesToStart, recordBytesMax } = limits;
    const sizes = fc.integer({ min: recordBytesToStart - 20_000, max: recordBytesMax - 8_000 });
    const world = fc.property(workflows, moves, sizes, (definition, happenings, bytes) => {
      const observe = sizesAreBounded();
      const full = live(definition, happenings, observe, (record) => grown(record, bytes));
      expect(calm(full, observe)).not.toBeNull();
    });
    fc.assert(world, { ...drawn, numRuns: Math.ceil(drawn.numRuns / 8) });
  });

  it('R15 the history replays to every revision that was written', () => {
    inEveryWorld(
      () => nothing,
      (world) => {
        const violation = checkHistory(
          current(world),
          () => replay(current(world), world.known),
          (revision) => world.written[revision - 1],
        );
        expect(violation).toBeNull();
      },
    );
  });

  it('a decision is deterministic: no clock, no randomness, no memory', () => {
    inEveryWorld(() => ({ before, event, known, nowMs, decision }) => {
      const again = decide(before, event, known, nowMs);
      if (!isDeepStrictEqual(again, decision)) expect(again).toEqual(decision);
    });
  });
});

describe('liveness: once faults have stopped', () => {
  it('R16 every order ends Processed, Undone or Error', () => {
    inEveryWorld(
      () => nothing,
      (world) => {
        expect(['Processed', 'Undone', 'Error']).toContain(current(world).processState);
      },
    );
  });

  it('R16 a sweep changes every due order, and the order becomes quiescent', () => {
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
