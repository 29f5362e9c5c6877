/** What a definition must be beyond its types: each refusal, with the workflow and step it names. */
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { checkWorkflow } from '#core/definition/workflow-check.ts';
import { DefinitionError } from '#core/model/errors.ts';
import { workflowName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import { diamond, flow, type StepSpec } from './support.ts';

const refusalOf = (build: () => unknown): { code: string; message: string } => {
  try {
    build();
  } catch (error) {
    if (error instanceof DefinitionError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error('was accepted');
};
const names = (count: number) => Array.from({ length: count }, (_, at) => `s${at}`);
const many = (count: number): Readonly<Record<string, StepSpec>> =>
  Object.fromEntries(names(count).map((name) => [name, {}]));
const version = (number: number) => () =>
  checkWorkflow({ ...diamond(), name: workflowName('flow'), version: number, details: z.json() });
const twice = () => {
  const { steps, ...rest } = diamond();
  return checkWorkflow({ ...rest, steps: [...steps, ...steps] });
};
const one = (spec: StepSpec) => () => flow({ a: spec });
const backed: StepSpec = { pool: { north: {}, south: {} }, failover: 'undo-first' };

describe('a definition is refused', () => {
  const { completeWithinMaxMs, maxDurationMaxMs, coolDownMaxMs, outputBytesMax } = limits;
  it.each([
    ['version 0', version(0), 'version-invalid', 'workflow flow@0: version 0 is not 1, 2, 3 ….'],
    [
      'version 1.5',
      version(1.5),
      'version-invalid',
      'workflow flow@1.5: version 1.5 is not 1, 2, 3 ….',
    ],
    [
      'no step',
      () => flow({}),
      'step-count',
      'workflow flow@1: 0 steps, where 1 to 64 are allowed.',
    ],
    [
      'too many steps',
      () => flow(many(65)),
      'step-count',
      'workflow flow@1: 65 steps, where 1 to 64 are allowed.',
    ],
    ['a step twice', twice, 'step-twice', 'workflow flow@1, step a: is defined twice; rename one.'],
    [
      'too short a deadline',
      one({ completeWithin: 49 }),
      'policy-range',
      `workflow flow@1, step a: completeWithin (ms) is 49; allowed is 50 to ${completeWithinMaxMs}.`,
    ],
    [
      'too long a deadline',
      one({ completeWithin: completeWithinMaxMs + 1 }),
      'policy-range',
      `workflow flow@1, step a: completeWithin (ms) is ${completeWithinMaxMs + 1}; allowed is 50 to ${completeWithinMaxMs}.`,
    ],
    [
      'a deadline of a fraction',
      one({ completeWithin: 100.5 }),
      'policy-range',
      `workflow flow@1, step a: completeWithin (ms) is 100.5; allowed is 50 to ${completeWithinMaxMs}.`,
    ],
    [
      'a duration shorter than the deadline',
      one({ maxDuration: 999 }),
      'policy-range',
      'workflow flow@1, step a: maxDuration (ms) is 999; allowed is 1000 to 100000.',
    ],
    [
      'a duration of too many heartbeats',
      one({ maxDuration: 100_001 }),
      'policy-range',
      'workflow flow@1, step a: maxDuration (ms) is 100001; allowed is 1000 to 100000.',
    ],
    [
      'too long a duration',
      one({ completeWithin: completeWithinMaxMs, maxDuration: maxDurationMaxMs + 1 }),
      'policy-range',
      `workflow flow@1, step a: maxDuration (ms) is ${maxDurationMaxMs + 1}; allowed is ${completeWithinMaxMs} to ${maxDurationMaxMs}.`,
    ],
    [
      'fewer than no retries',
      one({ retries: -1 }),
      'policy-range',
      'workflow flow@1, step a: retries is -1; allowed is 0 to 20.',
    ],
    [
      'too many retries',
      one({ retries: 21 }),
      'policy-range',
      'workflow flow@1, step a: retries is 21; allowed is 0 to 20.',
    ],
    [
      'fewer than no cool-downs',
      one({ coolDown: { after: 100, times: -1 } }),
      'policy-range',
      'workflow flow@1, step a: coolDown.times is -1; allowed is 0 to 20.',
    ],
    [
      'too many cool-downs',
      one({ coolDown: { after: 100, times: 21 } }),
      'policy-range',
      'workflow flow@1, step a: coolDown.times is 21; allowed is 0 to 20.',
    ],
    [
      'too short a cool-down',
      one({ coolDown: { after: 99, times: 1 } }),
      'policy-range',
      `workflow flow@1, step a: coolDown.after (ms) is 99; allowed is 100 to ${coolDownMaxMs}.`,
    ],
    [
      'too long a cool-down',
      one({ coolDown: { after: coolDownMaxMs + 1, times: 1 } }),
      'policy-range',
      `workflow flow@1, step a: coolDown.after (ms) is ${coolDownMaxMs + 1}; allowed is 100 to ${coolDownMaxMs}.`,
    ],
    [
      'a cool-down that shrinks',
      one({ coolDown: { after: 100, times: 1, factor: 0.9 } }),
      'policy-range',
      'workflow flow@1, step a: coolDown.factor is 0.9; allowed is 1 to 10.',
    ],
    [
      'a cool-down that grows too fast',
      one({ coolDown: { after: 100, times: 1, factor: 10.1 } }),
      'policy-range',
      'workflow flow@1, step a: coolDown.factor is 10.1; allowed is 1 to 10.',
    ],
    [
      'a factor that is no number',
      one({ coolDown: { after: 100, times: 1, factor: Number.NaN } }),
      'policy-range',
      'workflow flow@1, step a: coolDown.factor is NaN; allowed is 1 to 10.',
    ],
    [
      'a maximum below the first cool-down',
      one({ coolDown: { after: 200, times: 1, max: 199 } }),
      'policy-range',
      `workflow flow@1, step a: coolDown.max (ms) is 199; allowed is 200 to ${coolDownMaxMs}.`,
    ],
    [
      'a maximum over the longest cool-down',
      one({ coolDown: { after: 200, times: 1, max: coolDownMaxMs + 1 } }),
      'policy-range',
      `workflow flow@1, step a: coolDown.max (ms) is ${coolDownMaxMs + 1}; allowed is 200 to ${coolDownMaxMs}.`,
    ],
    [
      'too short a hold',
      one({ holdMax: 999 }),
      'policy-range',
      'workflow flow@1, step a: holdMax (ms) is 999; allowed is 1000 to 604800000.',
    ],
    [
      'too long a hold',
      one({ holdMax: 604_800_001 }),
      'policy-range',
      'workflow flow@1, step a: holdMax (ms) is 604800001; allowed is 1000 to 604800000.',
    ],
    [
      'an order without time',
      () => flow({ a: {} }, { completeWithinMs: 999 }),
      'policy-range',
      'workflow flow@1: completeWithin (ms) is 999; allowed is 1000 to 2592000000.',
    ],
    [
      'an order of months',
      () => flow({ a: {} }, { completeWithinMs: 2_592_000_001 }),
      'policy-range',
      'workflow flow@1: completeWithin (ms) is 2592000001; allowed is 1000 to 2592000000.',
    ],
    [
      'an order that is never late',
      () => flow({ a: {} }, { onLate: 'undo' }),
      'on-late-unused',
      'workflow flow@1: has onLate, and no completeWithin: state both or neither.',
    ],
    [
      'an undo of too short a deadline',
      one({ undoPolicy: { completeWithin: 49 } }),
      'policy-range',
      `workflow flow@1, step a: undo.completeWithin (ms) is 49; allowed is 50 to ${completeWithinMaxMs}.`,
    ],
    [
      'an undo shorter than its deadline',
      one({ undoPolicy: { maxDuration: 999 } }),
      'policy-range',
      'workflow flow@1, step a: undo.maxDuration (ms) is 999; allowed is 1000 to 100000.',
    ],
    [
      'an undo of too many retries',
      one({ undoPolicy: { retries: 21 } }),
      'policy-range',
      'workflow flow@1, step a: undo.retries is 21; allowed is 0 to 20.',
    ],
    [
      'an undo of too many cool-downs',
      one({ undoPolicy: { coolDown: { after: 100, times: 201 } } }),
      'policy-range',
      'workflow flow@1, step a: undo.coolDown.times is 201; allowed is 0 to 200.',
    ],
    [
      'an undo whose cool-downs shrink',
      one({ undoPolicy: { coolDown: { after: 100, times: 1, factor: 0 } } }),
      'policy-range',
      'workflow flow@1, step a: undo.coolDown.factor is 0; allowed is 1 to 10.',
    ],
    [
      'a policy for the undo of an irreversible step',
      one({ irreversible: true, undo: 'offered', undoPolicy: { retries: 3 } }),
      'undo-unused',
      'workflow flow@1, step a: has the option "undo", and is irreversible: remove the option.',
    ],
    [
      'an irreversible step that its pool would undo first',
      one({ ...backed, irreversible: true, undo: 'offered', coolDown: { after: 100, times: 1 } }),
      'failover-unused',
      'workflow flow@1, step a: has a pool with failover "undo-first", and is irreversible: use a pool without failover.',
    ],
    [
      'a step of one round that its pool would undo after it',
      one(backed),
      'failover-unused',
      'workflow flow@1, step a: has a pool with failover "undo-first", and has one round of attempts, and it would happen after one: state a coolDown, or use a pool without failover.',
    ],
    [
      'undos first that would fill the record',
      one({
        ...backed,
        retries: 0,
        coolDown: { after: 100, times: 1 },
        undoPolicy: { retries: 20, coolDown: { after: 100, times: 200 } },
      }),
      'record-too-large',
      'workflow flow@1: the record of its largest order is 40960 bytes, 1 steps of 480, 4224 attempts of 160 and outputs of 512, over the limit of 311296. Allow fewer retries and coolDown.times, state a smaller outputBytesMax for steps, or split the workflow.',
    ],
    [
      'a policy for an undo that nobody needs',
      one({ undo: 'unneeded', undoPolicy: { retries: 3 } }),
      'undo-unused',
      'workflow flow@1, step a: has the option "undo", and its agent offers no undo: remove the option.',
    ],
    [
      'a policy for an undo that nobody needs, as it would be without one',
      one({ undo: 'unneeded', undoPolicy: {} }),
      'undo-unused',
      'workflow flow@1, step a: has the option "undo", and its agent offers no undo: remove the option.',
    ],
    [
      'a reversible step of an agent without undo',
      one({ undo: 'impossible' }),
      'undo-missing',
      'workflow flow@1, step a: agent svc-a offers no undo. Implement one, declare undo "unneeded", or mark the step irreversible.',
    ],
    [
      'an irreversible step whose exhaustion starts the undo',
      one({ irreversible: true, onExhausted: 'undo' }),
      'undo-impossible',
      'workflow flow@1, step a: is irreversible and may have happened when its attempts are exhausted: onExhausted must be "hold".',
    ],
    [
      'too large an output',
      one({ outputBytesMax: outputBytesMax + 1 }),
      'policy-range',
      `workflow flow@1, step a: outputBytesMax is 8193; allowed is 2 to 8192.`,
    ],
    [
      'too small an output',
      one({ outputBytesMax: 1 }),
      'policy-range',
      `workflow flow@1, step a: outputBytesMax is 1; allowed is 2 to 8192.`,
    ],
    [
      'outputs that the record of an order cannot hold',
      () => flow(Object.fromEntries(names(64).map((name) => [name, { outputBytesMax }]))),
      'record-too-large',
      'workflow flow@1: the record of its largest order is 40960 bytes, 64 steps of 480, 128 attempts of 160 and outputs of 524288, over the limit of 311296. Allow fewer retries and coolDown.times, state a smaller outputBytesMax for steps, or split the workflow.',
    ],
    [
      'attempts that the record of an order cannot hold',
      () =>
        flow(
          Object.fromEntries(
            names(5).map((name) => [name, { retries: 20, coolDown: { after: 100, times: 20 } }]),
          ),
        ),
      'record-too-large',
      'workflow flow@1: the record of its largest order is 40960 bytes, 5 steps of 480, 2205 attempts of 160 and outputs of 2560, over the limit of 311296. Allow fewer retries and coolDown.times, state a smaller outputBytesMax for steps, or split the workflow.',
    ],
    [
      'outputs that the request of a later step cannot hold',
      () =>
        flow({
          ...Object.fromEntries(names(20).map((name) => [name, { outputBytesMax }])),
          last: { after: names(20) },
        }),
      'request-too-large',
      'workflow flow@1, step last: comes after steps with outputs of up to 164720 bytes, but a request has room for 112640 beside the details. State a smaller outputBytesMax for them.',
    ],
    [
      'a step after an unknown one',
      () => flow({ a: {}, b: { after: ['a', 'x'] } }),
      'after-unknown',
      'workflow flow@1, step b: comes after x, which is not a step of the workflow.',
    ],
    [
      'a step after another one twice',
      () => flow({ a: {}, b: { after: ['a', 'a'] } }),
      'after-twice',
      'workflow flow@1, step b: lists a twice in its `after`; leave out one of the two.',
    ],
    [
      'a step after itself',
      one({ after: ['a'] }),
      'after-cyclic',
      'workflow flow@1, step a: comes after itself (cycle of a).',
    ],
    [
      'a cycle, and what it cuts off',
      () =>
        flow({
          start: {},
          z: { after: ['b'] },
          a: { after: ['start', 'b'] },
          b: { after: ['c'] },
          c: { after: ['a'] },
          y: { after: ['z', 'start'] },
        }),
      'after-cyclic',
      'workflow flow@1, step a: comes after itself (cycle of a, b, c); unreachable because of it: z, y.',
    ],
    [
      'a step behind a cycle that it is no part of',
      () => flow({ x: { after: ['a'] }, a: { after: ['b', 'a'] }, b: { after: ['a'] } }),
      'after-cyclic',
      'workflow flow@1, step a: comes after itself (cycle of a, b); unreachable because of it: x.',
    ],
  ])('for %s', (_, build, code, message) => {
    expect(refusalOf(build)).toEqual({ code, message });
  });

  it('as an error of its own class', () => {
    expect(one({ retries: -1 })).toThrow(DefinitionError);
  });
});

describe('a definition is accepted', () => {
  it.each([
    ['with 64 steps', () => flow(many(64))],
    ['with the shortest deadline', one({ completeWithin: limits.completeWithinMinMs })],
    [
      'with the longest deadline and duration',
      one({ completeWithin: limits.completeWithinMaxMs, maxDuration: limits.maxDurationMaxMs }),
    ],
    ['with the most heartbeats', one({ maxDuration: 100_000 })],
    ['with no retries', one({ retries: 0 })],
    ['with the most retries', one({ retries: limits.retriesMax })],
    [
      'with the most and longest cool-downs',
      one({ coolDown: { after: limits.coolDownMaxMs, times: limits.coolDownTimesMax } }),
    ],
    ['with the shortest cool-down', one({ coolDown: { after: limits.coolDownMinMs, times: 1 } })],
    [
      'with the longest undo',
      one({ undoPolicy: { coolDown: { after: 100, times: limits.undoCoolDownTimesMax } } }),
    ],
    ['with an irreversible step whose fault turns the order back', one({ irreversible: true })],
    ['with a step that needs no undo', one({ undo: 'unneeded' })],
  ])('%s', (_, build) => {
    expect(build().steps.length).toBeGreaterThan(0);
  });
});

describe('the order of a definition', () => {
  it('has each step after all it comes after, and else as they were written', () => {
    const { steps, order } = flow({
      d: { after: ['c', 'b'] },
      c: { after: ['a'] },
      b: {},
      a: {},
      e: {},
    });
    expect(order.map((at) => steps[at]?.name)).toEqual(['b', 'a', 'c', 'd', 'e']);
  });
});

describe('the output limit of a step is', () => {
  const allowed = (specs: Readonly<Record<string, StepSpec>>) =>
    flow(specs).steps.map(({ outputBytesMax }) => outputBytesMax);
  const last = (count: number) => ({ ...many(count), last: { after: names(count) } });

  it('8 KiB when there is room', () => {
    expect(new Set(allowed(many(29)))).toEqual(new Set([limits.outputBytesMax]));
    expect(new Set(allowed(last(13)))).toEqual(new Set([limits.outputBytesMax]));
  });

  it('an equal share of the record when there are many steps', () => {
    // 304 KiB, less 40 KiB, and 480 and two attempts of 160 bytes per step.
    expect(new Set(allowed(many(64)))).toEqual(new Set([3_424]));
  });

  it('an equal share of the request of a later step', () => {
    // 240 KiB, less 128 KiB of details, 2 KiB, and 44 bytes per step.
    expect(allowed(last(63))).toEqual([...names(63).map(() => 1_743), 3_424]);
  });

  it('what its definition states, which leaves more for others', () => {
    const little = Object.fromEntries(names(40).map((name) => [name, { outputBytesMax: 100 }]));
    expect(allowed({ ...little, x: {} }).slice(-2)).toEqual([100, limits.outputBytesMax]);
    expect(allowed({ ...many(63), little: { outputBytesMax: 100 } })[0]).toBe(3_476);
    const after = allowed({
      ...many(20),
      x: { outputBytesMax: 100 },
      y: { after: [...names(20), 'x'] },
    });
    expect(after.slice(-3)).toEqual([5_580, 100, 8_192]);
  });

  it('not part of the fingerprint, so unfinished orders continue', () => {
    expect(flow({ a: { outputBytesMax: 100 } }).fingerprint).toBe(flow({ a: {} }).fingerprint);
  });
});
