import { expect, test } from 'vitest';
import type { RuleName } from '#checkers/violation.ts';
import { decide } from '#core/decide/decide.ts';
import { isReply, type RecordEvent } from '#core/model/event.ts';
import { findStep, type ProcessRecord, type StepRecord } from '#core/model/record.ts';
import { explore, oneOrder } from '#explore/explore.ts';
import { type LeaseWorld, leasedRoom } from '#explore/leased-room.ts';
import { callMs, type Planted } from '#explore/leasing.ts';
import { movesOf } from '#explore/moves.ts';
import { type SharedWorld, sharedGates } from '#explore/shared-gates.ts';
import { firstState, type SmallWorld, type WorldState } from '#explore/small-world.ts';
import { sharedWorlds, worlds } from '#explore/worlds.ts';

const world = (name: string): SmallWorld => {
  const found = worlds.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no world ${name}`);
  return found;
};

const statesMax = 200_000;

test.each(['fork', 'held', 'one-way', 'deadline', 'late'])(
  'the world %s is explored completely, and breaks no rule',
  async (name) => {
    const { complete, violations, states } = await explore(oneOrder(world(name)), statesMax);
    expect({ complete, violations }).toEqual({ complete: true, violations: [] });
    expect(states).toBeGreaterThan(5_000);
  },
);

type Decide = SmallWorld['decide'];

/** `decide` with its record changed after the fact. */
const changing =
  (
    change: (after: ProcessRecord, before: ProcessRecord, event: RecordEvent) => ProcessRecord,
  ): Decide =>
  (record, event, known, nowMs) => {
    const decision = decide(record, event, known, nowMs);
    if (decision.kind === 'ignored') return decision;
    return { ...decision, record: change(decision.record, record, event) };
  };

const steps = (record: ProcessRecord, to: (step: StepRecord) => StepRecord): ProcessRecord => ({
  ...record,
  steps: record.steps.map(to),
});

/** A mistake, the world it shows in, and the rule that must say so. */
const mistakes: readonly [string, string, Decide, RuleName][] = [
  [
    'a reply of an earlier attempt is taken',
    'held',
    (record, event, known, nowMs) => {
      if (!isReply(event)) return decide(record, event, known, nowMs);
      const attempt = findStep(record, event.step)?.attempt ?? event.attempt;
      const decision = decide(record, { ...event, attempt }, known, nowMs);
      if (decision.kind === 'ignored') return decision;
      const history = decision.record.history.map((entry) =>
        'attempt' in entry && entry.at === nowMs ? { ...entry, attempt: event.attempt } : entry,
      );
      return { ...decision, record: { ...decision.record, history } };
    },
    'R6',
  ],
  [
    'a doubt is forgotten when its attempt expires',
    'fork',
    changing((after, _, { type }) =>
      type === 'expired' ? steps(after, (step) => ({ ...step, doubtUntil: null })) : after,
    ),
    'R10',
  ],
  [
    'what comes after is not waited for',
    'fork',
    (record, event, known, nowMs) =>
      decide(
        record,
        event,
        known && {
          ...known,
          definition: {
            ...known.definition,
            steps: known.definition.steps.map((step) => ({ ...step, after: [] })),
          },
        },
        nowMs,
      ),
    'R4',
  ],
  [
    'the Supervisor does nothing',
    'fork',
    (record, event, known, nowMs) =>
      event.type === 'expired'
        ? { kind: 'ignored', reason: 'not-due' }
        : decide(record, event, known, nowMs),
    'R16',
  ],
  [
    'the undo of a step is not waited for',
    'fork',
    changing((after) =>
      after.direction === 'undo' && after.processState === 'Processing'
        ? {
            ...after,
            processState: 'Undone',
            lockedBy: null,
            completeBy: null,
          }
        : after,
    ),
    'R10',
  ],
  [
    'a step that is Completed is started again by the next claim',
    'held',
    (record, event, known, nowMs) =>
      decide(
        event.type === 'claim' && record.direction === 'forward'
          ? steps(record, (step) =>
              step.progress.state === 'Completed'
                ? { ...step, progress: { state: 'NotStarted' } }
                : step,
            )
          : record,
        event,
        known,
        nowMs,
      ),
    'R5',
  ],
  [
    'an attempt number skips one',
    'fork',
    changing((after, before) =>
      steps(after, (step) => {
        const was = before.steps.find(({ name }) => name === step.name)?.attempt;
        return was === step.attempt ? step : { ...step, attempt: step.attempt + 1 };
      }),
    ),
    'R8',
  ],
];

/** Mistakes with a step that is undone before another domain gets it. */
const failoverMistakes: readonly [string, string, Decide, RuleName][] = [
  [
    'a step fails over in doubt without its undo',
    'failover',
    (record, event, known, nowMs) =>
      decide(
        event.type !== 'claim' || record.direction === 'undo'
          ? record
          : steps(record, ({ undoFirst, ...step }) =>
              step.doubtUntil === null
                ? { ...step, ...(undoFirst && { undoFirst }) }
                : { ...step, doubtUntil: null, keyGeneration: step.keyGeneration + 1 },
            ),
        event,
        known,
        nowMs,
      ),
    'R8',
  ],
  [
    'a step is undone and starts anew under its old key',
    'failover',
    changing((after, before) =>
      steps(after, (step) => {
        const was = before.steps.find(({ name }) => name === step.name)?.undoFirst;
        return was?.isDone === false && step.undoFirst?.isDone
          ? { ...step, keyGeneration: step.keyGeneration - 1 }
          : step;
      }),
    ),
    'R25',
  ],
  [
    'a step is performed again while it is undone first',
    'failover',
    changing((after) =>
      steps(after, ({ undoFirst, ...step }) =>
        undoFirst?.isDone === false && step.progress.state === 'NotStarted'
          ? step
          : { ...step, ...(undoFirst && { undoFirst }) },
      ),
    ),
    'R25',
  ],
];

test.each([...mistakes, ...failoverMistakes])(
  'when %s, the world %s shows it',
  async (_, name, planted, rule) => {
    const { violations } = await explore(oneOrder({ ...world(name), decide: planted }), statesMax);
    expect(violations.length).toBeGreaterThan(0);
    expect(violations[0]?.rule).toBe(rule);
    expect(violations[0]?.path[0]).toBe('submit');
  },
);

const gates = sharedWorlds.filter(({ name }) => name === 'gates' || name === 'queue');

test.each(gates)('two orders that share gates are explored completely: $name', async (shared) => {
  const { complete, violations, states } = await explore(sharedGates(shared), statesMax);
  expect({ complete, violations }).toEqual({ complete: true, violations: [] });
  expect(states).toBeGreaterThan(5_000);
});

const ignoresHolds: Decide = (record, event, known, nowMs) => {
  if (known === null) return decide(record, event, known, nowMs);
  const { holds: _, ...rest } = known;
  return decide(record, event, rest, nowMs);
};

const endsHoldsAtOnce: Decide = changing((after, before) => ({
  ...after,
  steps: after.steps.map((step, at) =>
    before.steps[at]?.progress.state === 'Held' && step.progress.state === 'Running'
      ? { ...step, failures: step.failures + 1 }
      : step,
  ),
}));

test.each<[string, Partial<SharedWorld>, RuleName]>([
  ['a step starts although its gate holds it', { decide: ignoresHolds }, 'R21'],
  ['a slot is kept after its tolerance', { leaks: true }, 'R22'],
  ['a hold counts as a failure', { decide: endsHoldsAtOnce }, 'R23'],
])('when %s, two orders show it', async (_, planted, rule) => {
  for (const shared of gates) {
    const { violations } = await explore(sharedGates({ ...shared, ...planted }), statesMax);
    expect(violations[0]?.rule).toBe(rule);
  }
});

const leases: LeaseWorld = {
  ...{ name: 'leases', about: 'two orders that lease', orders: 2 },
  budgets: { losses: 1, crashes: 0, pauses: 0 },
};

test('two orders that lease room in two limits are explored completely', async () => {
  const { complete, violations, states } = await explore(leasedRoom(leases), statesMax);
  expect({ complete, violations }).toEqual({ complete: true, violations: [] });
  expect(states).toBeGreaterThan(5_000);
});

test.each<[string, Planted, RuleName]>([
  [
    'a write that another one overtook is taken for made',
    (items) => ({
      ...items,
      occupy: async (name, change) => ({ ...(await items.occupy(name, change)), isDone: true }),
    }),
    'R21',
  ],
  [
    'a call that is refused in one limit keeps its room in the other',
    (items) => ({
      ...items,
      occupy: async (name, change) =>
        change.come.size > 0
          ? items.occupy(name, change)
          : { isDone: true, holders: new Map<string, number>() },
    }),
    'R22',
  ],
  [
    'room is kept for three times as long',
    (items) => ({
      ...items,
      occupy: (name, { come, ...change }) =>
        items.occupy(name, {
          ...change,
          come: new Map([...come].map(([holder, until]) => [holder, until + 2 * callMs])),
        }),
    }),
    'R22',
  ],
])('when %s, two orders that lease show it', async (_, planted, rule) => {
  const { violations } = await explore(leasedRoom({ ...leases, planted }), statesMax);
  expect(violations[0]?.rule).toBe(rule);
});

test('a world larger than the limit is reported as incomplete', async () => {
  expect(await explore(oneOrder(world('fork')), 100)).toMatchObject({ complete: false });
});

/** Of a large world, the one without faults of people and services. */
const fewer = ({ budgets, ...small }: SmallWorld): SmallWorld => ({
  ...small,
  budgets: { ...budgets, declines: 0, resubmits: 0 },
});

test.each([world('one-way'), world('deadline'), fewer(world('failover'))])(
  'states that are written alike behave alike: $name',
  (small) => {
    const { textOf } = oneOrder(small);
    const successors = (state: WorldState) =>
      movesOf(small, state)
        .map(({ next }) => textOf(next))
        .toSorted();
    const seen = new Map<string, readonly string[]>();
    let compared = 0;
    let frontier = [firstState(small)];
    while (frontier.length > 0) {
      const next: WorldState[] = [];
      for (const state of frontier) {
        const key = textOf(state);
        const known = seen.get(key);
        if (known !== undefined) {
          compared += 1;
          expect(successors(state)).toEqual(known);
          continue;
        }
        seen.set(key, successors(state));
        next.push(...movesOf(small, state).map((move) => move.next));
      }
      frontier = next;
    }
    expect(compared).toBeGreaterThan(5_000);
  },
);
