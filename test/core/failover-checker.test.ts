/** The checks of steps that are undone before another domain gets them (R8, R14, R25), with writes that break them. */
import { expect, it } from 'vitest';
import { checkWrite } from '#checkers/write-checker.ts';
import { dueAt } from '#core/decide/due.ts';
import type { RecordEvent } from '#core/model/event.ts';
import type { ProcessRecord, StepRecord } from '#core/model/record.ts';
import {
  apply,
  by,
  claim,
  epoch,
  expire,
  flow,
  gated,
  play,
  resubmit,
  type Situation,
  type StepSpec,
  submit,
  undoNo,
  undoOk,
} from './support.ts';

const coolDown = { after: 100, times: 2 };
const spec: StepSpec = {
  pool: { north: {}, south: {} },
  failover: 'undo-first',
  retries: 0,
  coolDown,
  undoPolicy: { retries: 0, coolDown },
};
const definition = flow({ a: spec });
const pending = submit(definition);
const roundOver = play(gated(pending, {}, { a: 'a-north' }), [0, claim()], [1_001, expire]);
const undoing = play(roundOver, [1_101, claim()]);
const undoLate = play(undoing, [2_102, expire]);
const success = by('a-north', undoOk('a', 2));
const stuck = play(undoing, [1_200, by('a-north', undoNo('a', 2))]);

type Change = (step: StepRecord) => StepRecord;

/** The rules and messages that a changed write of the step violates. */
function broken(
  { record: before, known }: Situation,
  [ms, event]: readonly [number, RecordEvent],
  change: Change,
  of = definition,
): readonly string[] {
  const at = epoch + ms;
  const decided: ProcessRecord = apply(before, event, at, known);
  const after = { ...decided, steps: decided.steps.map(change) };
  const write = { before, after, definition: of, at, agent: null, due: dueAt(after) };
  return checkWrite(write).map(({ rule, message }) => `${rule}: ${message.split(': a: ').at(-1)}`);
}

const asItIs: Change = (step) => step;
const without: Change = ({ undoFirst: _, ...step }) => step;
const begins = [1_101, claim()] as const;
const ends = [1_200, success] as const;
const waits = flow({ a: { ...spec, failover: 'wait' } });
const drained = flow({ a: { ...spec, pool: { north: {}, south: { weight: 0 } } } });
const ofBefore = (situation: Situation, change: Change): Situation => ({
  known: situation.known,
  record: { ...situation.record, steps: situation.record.steps.map(change) },
});
const forgetful: Situation = ofBefore(roundOver, (step) => ({
  ...step,
  undoFirst: { isDone: true, performFailures: 0, undoFailures: 0 },
}));

/** One of two attempts of the round is over. */
const withRetry = ofBefore(roundOver, (step) => ({
  ...step,
  policy: { ...step.policy, retries: 1 },
}));
const [undoingStep] = undoing.record.steps;
if (undoingStep === undefined) throw new Error('the order has a step');

/** The hold of another step ends when the undo has, and with it begins that of the order. */
const besideHeld = flow({ a: spec, b: { holdMax: 2_000, retries: 0, onExhausted: 'undo' } });
const holds = { b: { hold: 'limit', until: 9_000 } } as const;
const heldBeside = play(
  gated(submit(besideHeld), holds, { a: 'a-north' }),
  [0, claim()],
  [1_001, expire],
  [1_101, claim()],
);
const turns = [2_050, success] as const;

it.each<[string, readonly string[]]>([
  ['begins', broken(roundOver, begins, asItIs)],
  ['ends', broken(undoing, ends, asItIs)],
  ['expires', broken(undoing, [2_102, expire], asItIs)],
  ['goes on', broken(undoLate, [2_202, claim()], asItIs)],
  ['goes on after a resubmit', broken(stuck, [1_300, resubmit], asItIs)],
  ['begins again after another round', broken(forgetful, begins, asItIs)],
  ['ends as that of its order begins', broken(heldBeside, turns, asItIs, besideHeld)],
])('an undo that %s breaks no rule', (_, found) => {
  expect(found).toEqual([]);
});

it.each<[string, readonly string[], string]>([
  [
    'begins where the pool waits',
    broken(roundOver, begins, asItIs, waits),
    'R25: is undone first, and may not be',
  ],
  [
    'begins where no other domain has a weight',
    broken(roundOver, begins, asItIs, drained),
    'R25: is undone first, and no other domain may have it',
  ],
  [
    'begins within a round',
    broken(withRetry, [1_101, claim()], (step) => ({
      ...step,
      agent: undoingStep.agent,
      progress: undoingStep.progress,
      undoFirst: { isDone: false, performFailures: 1 },
      failures: 0,
    })),
    'R25: is undone within a round',
  ],
  [
    'is forgotten',
    broken(undoLate, [2_202, claim()], without),
    'R25: is not undone first any more, and was not undone',
  ],
  [
    'leaves the old key',
    broken(undoing, ends, (step) => ({ ...step, keyGeneration: 1 })),
    'R25: starts anew under its old key',
  ],
  [
    'skips a key',
    broken(undoing, ends, (step) => ({ ...step, keyGeneration: 3 })),
    'R8: has key 3',
  ],
  [
    'forgets the failures of the performs',
    broken(undoing, ends, (step) => ({ ...step, failures: 0 })),
    'R14: forgot failures',
  ],
  [
    'keeps the failures of the performs as that of its order begins',
    broken(
      heldBeside,
      turns,
      (step) => (step.undoFirst === undefined ? step : { ...step, failures: 1 }),
      besideHeld,
    ),
    'R14: forgot failures',
  ],
  [
    'takes its own failures for those of the performs',
    broken(undoLate, [2_202, claim()], (step) => ({
      ...step,
      undoFirst: { isDone: false, performFailures: 0 },
    })),
    'R14: changed the failures it keeps',
  ],
  [
    'keeps failures over a resubmit',
    broken(stuck, [1_300, resubmit], (step) => ({
      ...step,
      undoFirst: { isDone: false, performFailures: 1 },
    })),
    'R14: 1 failures after a resubmit',
  ],
])('an undo that %s is found', (_, found, expected) => {
  expect(found).toContain(expected);
});
