/** The fingerprint depends on everything that unfinished orders depend on, and on nothing else. */
import { describe, expect, it } from 'vitest';
import { fingerprintOf } from '#core/definition/fingerprint.ts';
import { workflowName } from '#core/model/ids.ts';
import { flow, type StepSpec } from './support.ts';

const base: StepSpec = { undo: 'offered' };
const of = (spec: StepSpec) => flow({ a: base, b: spec, c: base }).fingerprint;

describe('the fingerprint', () => {
  it('does not depend on code and schemas', () => {
    expect(of({ ...base, input: () => 'something else' })).toBe(of(base));
    expect(of({ ...base, when: () => false })).toBe(of({ ...base, when: () => true }));
  });

  it('is short, and the same on every machine and in every release', () => {
    expect(flow({ a: {} }).fingerprint).toBe('2ptjg526dar6l');
  });

  it.each<[string, StepSpec]>([
    ['the deadline', { ...base, completeWithin: 1_001, maxDuration: 1_001 }],
    ['the duration', { ...base, maxDuration: 1_001 }],
    ['the retries', { ...base, retries: 2 }],
    ['the length of the cool-down', { ...base, coolDown: { after: 101, times: 0 } }],
    ['the number of cool-downs', { ...base, coolDown: { after: 100, times: 1 } }],
    ['the growth of the cool-downs', { ...base, coolDown: { after: 100, times: 0, factor: 2 } }],
    ['the longest cool-down', { ...base, coolDown: { after: 100, times: 0, max: 100 } }],
    ['the deadline of the undo', { ...base, undoPolicy: { completeWithin: 999 } }],
    ['the cool-downs of the undo', { ...base, undoPolicy: { coolDown: { after: 100, times: 0 } } }],
    ['how long a hold may last', { ...base, holdMax: 1_000 }],
    ['what happens on a fault', { ...base, onFault: 'hold' }],
    ['what happens when exhausted', { ...base, onExhausted: 'hold' }],
    ['irreversible', { ...base, onExhausted: 'hold', irreversible: true }],
    ['the undo', { ...base, undo: 'unneeded' }],
    ['what the step comes after', { ...base, after: ['a'] }],
    ['a condition', { ...base, when: () => true }],
  ])('differs with %s', (_, spec) => {
    const without = spec.irreversible === true ? of({ ...base, onExhausted: 'hold' }) : of(base);
    expect(of(spec)).not.toBe(without);
  });

  it('differs with the deadline alone', () => {
    const long: StepSpec = { ...base, maxDuration: 5_000 };
    expect(of({ ...long, completeWithin: 1_001 })).not.toBe(of(long));
  });

  it('differs with the name and the version', () => {
    const definition = flow({ a: base });
    const { fingerprint } = definition;
    expect(fingerprintOf({ ...definition, version: 2 })).not.toBe(fingerprint);
    expect(fingerprintOf({ ...definition, name: workflowName('g') })).not.toBe(fingerprint);
  });

  it('differs with the deadline of the order', () => {
    const limited = (completeWithinMs: number, onLate: 'hold' | 'undo' = 'hold') =>
      flow({ a: base }, { completeWithinMs, onLate }).fingerprint;
    const all = [
      flow({ a: base }).fingerprint,
      limited(1_000),
      limited(1_001),
      limited(1_000, 'undo'),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(flow({ a: base }, { completeWithinMs: 1_000 }).fingerprint).toBe(limited(1_000));
  });

  it('does not depend on the members of a pool, so that one can be added while orders run', () => {
    const pooled = of({ ...base, pool: { east: {} } });
    expect(of({ ...base, pool: { east: {}, west: { weight: 2, domain: 'other' } } })).toBe(pooled);
    expect(pooled).toBe(of(base));
  });

  it('differs with the names, agents and order of the steps', () => {
    const definition = flow({ a: base, b: base });
    const { fingerprint, steps } = definition;
    expect(flow({ a: base, c: base }).fingerprint).not.toBe(fingerprint);
    expect(fingerprintOf({ ...definition, steps: steps.toReversed() })).not.toBe(fingerprint);
    const [a, b] = steps.map(({ agent }) => agent);
    const swapped = steps.map((step) => ({
      ...step,
      agent: (step.agent === a ? b : a) ?? step.agent,
    }));
    expect(fingerprintOf({ ...definition, steps: swapped })).not.toBe(fingerprint);
  });
});
