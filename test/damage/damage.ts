/**
 * The damage test: flips bits of the stored data and truncates files, from a seed; each damage must be reported.
 *
 * npm run test:damage -- [--trials 24] [--seed N]
 */
import { parseArgs } from 'node:util';
import { damageTrials, outcomes } from './trials.ts';

const { values } = parseArgs({
  options: {
    trials: { type: 'string', default: '24' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
console.log(`damage test: ${values.trials} trials, seed ${values.seed}`);
const trials = await damageTrials(Number(values.trials), Number(values.seed));
const bad = trials.filter(({ outcome }) => !['refused', 'reported', 'harmless'].includes(outcome));
for (const { what, outcome } of bad) console.error(`${outcome}: ${what}`);
for (const outcome of outcomes) {
  const count = trials.filter((trial) => trial.outcome === outcome).length;
  console.log(`${String(count).padStart(6)} ${outcome}`);
}
process.exitCode = bad.length === 0 ? 0 : 1;
