/** The rules of the design over random workflows whose steps are undone first: few worlds of rules.test.ts have such a step. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { checkHistory } from '#checkers/end-checker.ts';
import { replay } from '#core/view/replay.ts';
import { failuresCountOnce, lives, storedAsItIs, writes } from './rules.ts';
import { backedWorkflows, calm, current, live, moves, type Observer, type World } from './world.ts';

/** As in rules.test.ts; half as many worlds, because each has all checks. */
const { REEVE_RUNS, REEVE_SEED } = process.env;
const drawn = {
  numRuns: Math.ceil(Number(REEVE_RUNS ?? 400) / 2),
  ...(REEVE_SEED === undefined ? {} : { seed: Number(REEVE_SEED) }),
};

const all = (): Observer => {
  const observers = [writes(), lives(), failuresCountOnce(), storedAsItIs()];
  return (seen) => {
    for (const observe of observers) observe(seen);
  };
};

const isUndoneFirst = ({ written }: World) =>
  written.some(({ steps }) => steps.some(({ undoFirst }) => undoFirst?.isDone));

it('R3 to R16 and R25 hold in every world, and the history replays (R15)', () => {
  let undone = 0;
  const world = fc.property(backedWorkflows, moves, (definition, happenings) => {
    const observe = all();
    const ended = live(definition, happenings, observe);
    expect(calm(ended, observe)).not.toBeNull();
    const record = current(ended);
    expect(['Processed', 'Undone', 'Error']).toContain(record.processState);
    const violation = checkHistory(
      record,
      () => replay(record, ended.known),
      (revision) => ended.written[revision - 1],
    );
    expect(violation).toBeNull();
    if (isUndoneFirst(ended)) undone += 1;
  });
  fc.assert(world, drawn);
  expect(undone).toBeGreaterThan(drawn.numRuns / 20);
}, 120_000);
