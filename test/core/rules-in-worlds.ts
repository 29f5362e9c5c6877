/** All rules at once, over random worlds of a kind of workflow that is rare among all workflows. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { checkHistory } from '#checkers/end-checker.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { replay } from '#core/view/replay.ts';
import { failuresCountOnce, lives, storedAsItIs, writes } from './rules.ts';
import { calm, current, live, moves, type Observer, type World } from './world.ts';

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

/**
 * Every rule holds in worlds of these workflows, which come to rest, and the history of their order replays (R15).
 *
 * @param isOfKind whether what the workflows are drawn for happened in the world. It does in a tenth of many worlds, and must in
 *   more than a fiftieth: of 200 random ones, less than a twentieth in one run of a hundred.
 */
export function expectRulesIn(
  workflows: fc.Arbitrary<WorkflowDefinition>,
  isOfKind: (world: World) => boolean,
): void {
  let ofKind = 0;
  const world = fc.property(workflows, moves, (definition, happenings) => {
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
    if (isOfKind(ended)) ofKind += 1;
  });
  fc.assert(world, drawn);
  expect(ofKind).toBeGreaterThan(drawn.numRuns / 50);
}
