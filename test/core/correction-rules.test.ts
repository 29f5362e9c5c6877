/**
 * The rules of the design over random workflows with a field that operators correct: few worlds of rules.test.ts have a correction
 * that is accepted while a step is in doubt.
 */
import { it } from 'vitest';
import { expectRulesIn } from './rules-in-worlds.ts';
import { correctedWorkflows } from './world.ts';

it('R3 to R16 hold in every world, and the history replays (R15)', () => {
  expectRulesIn(correctedWorkflows, ({ written }) =>
    written.some(({ history }) => {
      const last = history.at(-1);
      return last?.type === 'resubmit' && last.corrections.length > 0;
    }),
  );
});
