/** Compares the calls and waits derived from a record with the requests and replies themselves. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decide } from '#core/decide/decide.ts';
import { doubtEndsAt } from '#core/decide/due.ts';
import { findStep, type ProcessRecord, underWay } from '#core/model/record.ts';
import { agentDemand, progressedAt } from '#core/view/agent-demand.ts';
import { type Call, callsOf } from '#core/view/calls.ts';
import { nextActions } from '#core/view/next-actions.ts';
import { type Happening, happenings, transitionOf } from '../support/happenings.ts';
import { details, house, newOrder } from '../support/orders.ts';
import { steadyMoves } from './ended-in.ts';
import { live, workflows } from './world.ts';

const start = Date.UTC(2026, 0, 1);
const known = { definition: house, details };
const lives = fc.array(fc.constantFrom(...happenings), { maxLength: 40 });

/** The calls, recorded from requests and history entries, without a replay. */
function witnessed(life: readonly Happening[]): { record: ProcessRecord; calls: Call[] } {
  let record: ProcessRecord = newOrder('one', start).record;
  const calls: { -readonly [Name in keyof Call]: Call[Name] }[] = [];
  for (const [at, happening] of life.entries()) {
    const now = Math.max(start + (at + 1) * 1_000, record.updatedAt + 1);
    const transition = transitionOf(record, happening, now, `w${at}`);
    if (transition === null) break;
    const { processState } = record;
    record = transition.record;
    const entry = record.history.at(-1);
    for (const call of calls.filter(({ to }) => to === null)) {
      const step = findStep(record, call.step);
      if (step?.attempt === call.attempt && underWay(step.progress)) continue;
      const isReply = entry !== undefined && 'attempt' in entry;
      call.to = record.updatedAt;
      call.isLate = isReply && processState !== 'Processing';
      call.fault = entry !== undefined && 'fault' in entry ? entry.fault.code : null;
      if (entry?.type === 'expired') call.end = 'timedOut';
      else if (entry?.type === 'interrupted') call.end = 'interrupted';
      else call.end = call.fault === null ? 'succeeded' : 'failed';
    }
    for (const command of transition.commands) {
      if (command.kind !== 'request') continue;
      const { step, action, attempt } = command.request;
      const began = { from: record.updatedAt, to: null, end: null, isLate: false, fault: null };
      calls.push({ step, action, attempt, ...began });
    }
  }
  return { record, calls };
}

/** Messages of one write have no order. */
const sorted = (calls: readonly Call[]): readonly Call[] =>
  calls.toSorted(
    (one, other) => (one.from ?? 0) - (other.from ?? 0) || one.step.localeCompare(other.step),
  );

test('the calls of a record are the requests that were sent, each with its end', () => {
  fc.assert(
    fc.property(lives, (life) => {
      const { record, calls } = witnessed(life);
      expect(sorted(callsOf(record, known).calls)).toEqual(sorted(calls));
    }),
    { numRuns: 5_000 },
  );
});

test('a step waits only while no call of it is under way, and one wait after the other', () => {
  fc.assert(
    fc.property(lives, (life) => {
      const { record } = witnessed(life);
      const { calls, waits } = callsOf(record, known);
      for (const { name } of record.steps) {
        const own = [...calls, ...waits].filter(({ step }) => step === name);
        const spans = own.map(({ from, to }) => ({ from: from ?? 0, to: to ?? Infinity }));
        spans.sort((one, other) => one.from - other.from);
        for (const [at, { from }] of spans.entries()) {
          expect(from).toBeGreaterThanOrEqual(spans[at - 1]?.to ?? start);
        }
      }
    }),
    { numRuns: 1_000 },
  );
});

test('without its definition an order still shows every call that has ended', () => {
  fc.assert(
    fc.property(lives, (life) => {
      const { record, calls } = witnessed(life);
      const ended = calls.flatMap((call) =>
        call.to === null ? [] : [{ ...call, from: null, isLate: false }],
      );
      const shown = callsOf(record, null).calls;
      expect(shown).toHaveLength(ended.length);
      expect(shown).toEqual(expect.arrayContaining(ended));
    }),
  );
});

test('a round that a hold ended is followed by a cool-down in the log, whether the step is in doubt or not', () => {
  const held = fc.property(workflows, steadyMoves, (definition, drawn) => {
    const { known: context, written } = live(definition, drawn, () => {});
    for (const [at, after] of written.entries()) {
      const before = written[at - 1];
      if (before === undefined || after.processState !== 'Pending') continue;
      const { updatedAt: from, notBefore: to } = after;
      if (to <= from || to === before.notBefore) continue;
      const failed = after.steps.filter(
        ({ name, failures, undoFirst, progress }) =>
          undoFirst === undefined &&
          progress.state !== 'Held' &&
          failures > (findStep(before, name)?.failures ?? 0),
      );
      const waits = callsOf(after, context).waits.filter((wait) => wait.from === from);
      const ofFailed = waits.filter(({ step }) => failed.some(({ name }) => name === step));
      expect(ofFailed).toEqual(
        failed.map(({ name: step }) => ({ step, kind: 'coolDown', from, to })),
      );
      if (failed.length > 0) expect(waits.filter(({ kind }) => kind === 'doubt')).toEqual([]);
    }
  });
  fc.assert(held, { numRuns: 300 });
});

test('what an operator may do is what is decided', () => {
  fc.assert(
    fc.property(lives, (life) => {
      const { record } = witnessed(life);
      const correction = { field: 'colour', value: 'red' };
      const events = {
        resubmit: { type: 'resubmit', by: 'olga' },
        correct: { type: 'resubmit', by: 'olga', corrections: [correction] },
        cancel: { type: 'cancel', by: 'olga' },
      } as const;
      const actions = nextActions(record);
      for (const action of ['resubmit', 'correct', 'cancel'] as const) {
        const decision = decide(record, events[action], known, record.updatedAt + 1);
        // A correction of what no open step uses is refused for its field.
        const isOfField = decision.kind === 'ignored' && decision.reason === 'correction-refused';
        const reason = decision.kind === 'transition' || isOfField ? null : decision.reason;
        expect(actions[action]).toBe(reason);
      }
    }),
    { numRuns: 1_000 },
  );
});

test('the calls in flight are the steps under way in the record', () => {
  fc.assert(
    fc.property(lives, (life) => {
      const { record, calls } = witnessed(life);
      const inFlight = agentDemand(record, house).filter(({ kind }) => kind === 'inFlight');
      expect(inFlight).toHaveLength(calls.filter(({ to }) => to === null).length);
    }),
  );
});

test('after a claim, what waited is in flight', () => {
  fc.assert(
    fc.property(lives, (life) => {
      const { record } = witnessed(life);
      if (record.processState !== 'Pending') return;
      const claimAt = record.notBefore + 1;
      // An undo waits for the end of a doubt, or of the calls that are still made.
      if (record.steps.some((step) => doubtEndsAt(step, claimAt) !== null)) return;
      if (record.direction === 'undo' && record.steps.some(({ progress }) => underWay(progress)))
        return;
      const waiting = agentDemand(record, house).filter(({ kind }) => kind === 'waiting');
      const claimed = transitionOf(record, 'claim', claimAt, 'w');
      const asked = claimed?.commands.filter(({ kind }) => kind === 'request') ?? [];
      expect(asked).toHaveLength(waiting.length);
    }),
  );
});

test('the undo of a step waits only once the steps that depend on it are undone', () => {
  const { record } = newOrder('one', start);
  const done = { state: 'Completed', output: null } as const;
  const undone = (count: number): ProcessRecord => ({
    ...record,
    direction: 'undo',
    steps: record.steps.map((step, at) => {
      const isUndone = at >= record.steps.length - count;
      return { ...step, progress: isUndone ? { state: 'Undone', before: done } : done };
    }),
  });
  // The roof stands on both walls.
  expect([0, 1, 2, 3].map((count) => agentDemand(undone(count), house).length)).toEqual([
    1, 2, 1, 0,
  ]);
});

test('a change of the priority is no progress: an order that waits is as old after it as before', () => {
  fc.assert(
    fc.property(lives, (life) => {
      const { record } = witnessed(life);
      const priority = record.priority === 'low' ? 'high' : 'low';
      const event = { type: 'reprioritise', by: 'olga', priority } as const;
      const decision = decide(record, event, known, record.updatedAt + 60_000);
      if (decision.kind === 'ignored') return;
      expect(progressedAt(decision.record)).toBe(progressedAt(record));
    }),
  );
});
