/** The rules of the design over random workflows whose steps are undone first: few worlds of rules.test.ts have such a step. */
import { it } from 'vitest';
import { expectRulesIn } from './rules-in-worlds.ts';
import { backedWorkflows } from './world.ts';

it('R3 to R16 and R25 hold in every world, and the history replays (R15)', () => {
  expectRulesIn(backedWorkflows, ({ written }) =>
    written.some(({ steps }) => steps.some(({ undoFirst }) => undoFirst?.isDone)),
  );
});
