/** Mistakes of what operators correct, and of what they are told about an order that stopped. */
import { type Mistake, mistake } from './mistake.ts';

const corrections = 'test/core/corrections.test.ts';
const ended = 'test/core/ended-attempts.test.ts';
const summary = 'test/core/attempt-summary.test.ts';
const calls = 'test/core/calls.test.ts';
const validate = 'lib/core/decide/operator/validate-corrections.ts';
const walk = 'lib/core/model/attempts/attempt-walk.ts';

export const mistakesOfCorrections: readonly Mistake[] = [
  mistake(
    'lib/core/decide/forward.ts',
    'test/core/doubt.test.ts',
    'a step in doubt is skipped when its condition holds no more',
    'inDoubt(step) || conditionHolds',
    'conditionHolds',
  ),
  mistake(
    validate,
    corrections,
    'a correction may change the condition of a step that was started',
    'const holds = returned(() => when === null || when(context));',
    "const holds = progress.state === 'Skipped' ? returned(() => when?.(context) ?? true) : '';",
  ),
  mistake(
    validate,
    corrections,
    'a corrected value that the schema turns into none is stored as it was given',
    'const value = fieldOf(parsed.data, field);',
    'const value = fieldOf(parsed.data, field) ?? fieldOf(details, field);',
  ),
  mistake(
    validate,
    corrections,
    'a correction is checked with details that no step is given',
    'stepsTouched(draft, known, next)',
    'stepsTouched(draft, known, parsed.data)',
  ),
  mistake(
    'lib/core/decide/settle-holds.ts',
    summary,
    'a hold of seconds lasted for 0 min',
    'ms < minuteMs ?',
    'ms < 0 ?',
  ),
  mistake(
    'lib/core/model/attempts/attempt-summary.ts',
    summary,
    'a round that a hold ended counts as attempts',
    'isShortened ? failures + reports : failed.length',
    'failures + reports',
  ),
  mistake(
    'lib/core/model/attempts/attempt-summary.ts',
    summary,
    'attempts are forgotten that a shortened history does not have',
    'isShortened ? failures + reports : failed.length',
    'failed.length',
  ),
  mistake(
    'lib/core/model/attempts/ended-attempts.ts',
    ended,
    'an attempt that is under way has ended',
    'underWay(progress) ? attempt - 1 : attempt',
    'attempt',
  ),
  mistake(
    walk,
    ended,
    'a perform that was in flight when its order turned back is an undo',
    '(isUndo && attempt > 1 && !walked.mayBePerformed)',
    '(isUndo && attempt > 1)',
  ),
  mistake(
    walk,
    ended,
    'the undo of a step that is undone first is a perform',
    'walked.isDone || walked.isUndoneFirst ||',
    'walked.isDone ||',
  ),
  mistake(
    walk,
    ended,
    'where a history was shortened, a perform that was in flight is an undo',
    'mayBePerformed: wasStartedLast(step, history)',
    'mayBePerformed: false',
  ),
  mistake(
    'lib/core/view/calls.ts',
    calls,
    'the cool-down after a hold is a wait for a doubt',
    'return failed.length > 0',
    'return failed.length < 0',
  ),
  mistake(
    'lib/core/view/agent-demand.ts',
    calls,
    'an order that is sorted into another class made progress',
    "'reprioritise'",
    "'deferred'",
  ),
  mistake(
    'lib/core/view/dead-letter.ts',
    'test/core/dead-letter.test.ts',
    'the nudge of an order with a held step is useless',
    "state === 'Held'",
    "state === 'Failed'",
  ),
];
