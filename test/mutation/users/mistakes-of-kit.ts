/** Mistakes in how the time of the testing kit passes. */
import { type Mistake, mistake } from '../mistake.ts';

const holds = 'test/testing/kit-holds.test.ts';
const calls = 'test/testing/kit-calls.test.ts';

export const mistakesOfKit: readonly Mistake[] = [
  mistake(
    'lib/testing/kit/prompt-sweeps.ts',
    holds,
    'a hold in a test ends a minute late',
    '(at < nowMs ? [id] : [])',
    '(at < nowMs - 60_000 ? [id] : [])',
  ),
  mistake(
    'lib/testing/kit/test-clock.ts',
    holds,
    'a timer of a test that changes an order is idle',
    'noteWork() {\n      works += 1;',
    'noteWork() {',
  ),
  mistake(
    'lib/testing/kit/test-clock.ts',
    holds,
    'a timer of a test is idle after its first repetition',
    'idleSince === null || now - idleSince < idleAfterMs',
    'idleSince === null',
  ),
  mistake(
    'lib/testing/kit/test-clock.ts',
    holds,
    'a timer of a test that makes another one is idle',
    'former.includes(undefined)',
    'former.length === 0',
  ),
  mistake(
    'lib/testing/kit/test-clock.ts',
    holds,
    'the cancellation of a timer is no work',
    'if (left.length < appointments.length) works += 1;',
    '',
  ),
  mistake(
    'lib/testing/kit/call-time.ts',
    calls,
    'time passes for a call that waits for nothing',
    '(await isAtWork()) || ',
    '',
  ),
  mistake(
    'lib/testing/kit/call-time.ts',
    calls,
    'a call moves the time while a test does',
    ' || moves > 0',
    '',
  ),
  mistake(
    'lib/testing/kit/call-time.ts',
    calls,
    'a call that nothing ends moves the time of a test for ever',
    ' && clock.now() < end',
    '',
  ),
  mistake(
    'lib/testing/kit/call-time.ts',
    calls,
    'a call of a killed process never ends',
    'for (const lost of calls) lost();',
    '',
  ),
  mistake(
    'lib/testing/kit/call-time.ts',
    calls,
    'a submission that waits in a test never ends',
    'submit: timed(reeve).submit,',
    '',
  ),
  mistake(
    'lib/testing/kit/call-time.ts',
    calls,
    'a call of an operator that waits in a test never ends',
    'operator: timed(operator),',
    'operator,',
  ),
  mistake(
    'lib/testing/kit/test-reeve.ts',
    'test/testing/kit-at-once.test.ts',
    'two orders of a test start two processes',
    'await time.turn(() => pass(parts, order))',
    'await pass(parts, order)',
  ),
  mistake(
    'lib/testing/kit/test-clock.ts',
    'test/testing/kit-at-once.test.ts',
    'a short advance sets the time back',
    'now = Math.max(now, end)',
    'now = end',
  ),
  mistake(
    'lib/event-loop/turns.ts',
    'test/testing/kit-at-once.test.ts',
    'fake timers of a test stop the store',
    'export const { setImmediate } = timers;',
    'export const setImmediate = (work: () => void) => (timers, globalThis.setImmediate(work));',
  ),
  mistake(
    'lib/embedded/store-error.ts',
    'test/embedded/other-realm.test.ts',
    'an error of SQLite of another realm is unknown',
    "!types.isNativeError(error) || !('errcode' in error)",
    "!(types, error instanceof Error) || !('errcode' in error)",
  ),
  mistake(
    'lib/testing/prove/mistakes.ts',
    'test/testing/first-seed.test.ts',
    'the worlds of a proof depend on its first seed',
    '({ workflows }: Proof, release: number): ProofRunOptions {',
    '({ workflows, firstSeed }: Proof, release: number): ProofRunOptions {\n  return { ...calmOf(workflows, release), seed: firstSeed };\n}\n\nfunction calmOf(workflows: Proof["workflows"], release: number): ProofRunOptions {',
  ),
  mistake(
    'lib/testing/prove/effect-ledger.ts',
    'test/testing/correct-agents.test.ts',
    'an agent that only looks is blamed for what others did',
    "undo === 'unneeded' ?",
    "undo === 'impossible' ?",
  ),
  mistake(
    'lib/testing/prove/process/virtual-timers.ts',
    'test/testing/correct-agents.test.ts',
    'an interval of an agent rings once',
    'if (repeats) start();',
    'void repeats;',
  ),
];
