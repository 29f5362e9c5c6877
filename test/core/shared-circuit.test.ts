/** The part of a circuit that instances share. */
import { describe, expect, it } from 'vitest';
import {
  admitted,
  afterCall,
  afterNoCall,
  type Circuit,
  mayCall,
  newCircuit,
  settled,
} from '#core/flow/circuit.ts';
import {
  adopted,
  hasJustOpened,
  isGivenUp,
  isOver,
  type SharedCircuit,
  sharedOf,
} from '#core/flow/shared-circuit.ts';

const minuteMs = 60_000;
const probeUntil = 9_000;
const prober = { by: 'one', probeUntil };

function failing(circuit: Circuit, times: number): Circuit {
  let next = circuit;
  for (let at = 0; at < times; at += 1) {
    const call = { epoch: next.epoch, step: `${at}`, order: `${at}`, isAnswered: false };
    next = afterCall(next, call, 0);
  }
  return next;
}

const opened = failing(newCircuit(0), 5);
const probing = admitted(opened, 'probe', 1_000) ?? opened;
const recovering = afterCall(
  probing,
  { epoch: probing.epoch, step: 'probe', order: 'o', isAnswered: true },
  2_000,
);

function shared(circuit: Circuit): SharedCircuit {
  const stored = sharedOf(circuit, 7, prober);
  if (stored === null) throw new Error('closed');
  return stored;
}

const other = newCircuit(0);

describe('the shared circuit', () => {
  it('has no closed state: a circuit that never opened is not stored', () => {
    expect(sharedOf(newCircuit(0), 1, prober)).toBeNull();
  });

  it.each([
    ['open', opened],
    ['half-open', probing],
    ['recovering', recovering],
  ])('%s: another instance continues in the same state', (state, circuit) => {
    const stored = shared(circuit);
    const taken = adopted(other, stored, 3_000);
    expect(taken.state).toBe(state);
    expect(shared(taken)).toEqual(stored);
  });

  it.each([true, false])('says whether the rate before the outage is known: %s', (isKnown) => {
    const stored = { ...shared(recovering), goodRate: { perSecond: 50, isKnown } };
    const taken = adopted(other, stored, 3_000);
    expect(shared(taken).goodRate).toEqual({ perSecond: 50, isKnown });
    const closed = settled(taken, 20 * minuteMs);
    expect(closed.state).toBe('closed');
    const again = failing(closed, 5);
    expect(shared(again).goodRate).toEqual({ perSecond: isKnown ? 50 : 10, isKnown });
  });

  it('begins a new epoch of the instance, so that its calls in flight no longer count (R27)', () => {
    const taken = adopted(other, shared(probing), 1_000);
    const call = { epoch: other.epoch, step: 'probe', order: 'o', isAnswered: true };
    expect(afterCall(taken, call, 1_500)).toBe(taken);
  });

  it('lets only the step be the probe that was stored', () => {
    const taken = adopted(other, shared(probing), 1_000);
    expect(mayCall(taken, 'probe')).toBe(true);
    expect(mayCall(taken, 'another')).toBe(false);
    expect(admitted(taken, 'another', 1_000)).toBeNull();
  });

  it('gives up a probe of which nothing was heard', () => {
    const stored = shared(probing);
    expect(isGivenUp(stored, probeUntil)).toBe(false);
    expect(isGivenUp(stored, probeUntil + 1)).toBe(true);
    expect(isGivenUp(shared(opened), probeUntil + 1)).toBe(false);
    const taken = adopted(other, stored, probeUntil + 1);
    expect(admitted(taken, 'another', probeUntil + 1)).toMatchObject({ probe: 'another' });
  });

  it('has just opened when it was closed before, not after a probe that failed or made no call', () => {
    expect(hasJustOpened(shared(opened))).toBe(true);
    const unused = afterNoCall(probing, 'probe', 1_500);
    const failed = afterCall(
      probing,
      { epoch: probing.epoch, step: 'probe', order: 'o', isAnswered: false },
      1_500,
    );
    expect([unused, failed].map((circuit) => hasJustOpened(shared(circuit)))).toEqual([
      false,
      false,
    ]);
  });

  it('limits no call any more half an hour after the service came back', () => {
    const stored = shared(recovering);
    expect(isOver(stored, 2_000 + 30 * minuteMs)).toBe(false);
    expect(isOver(stored, 2_001 + 30 * minuteMs)).toBe(true);
    expect(isOver(shared(opened), 31 * minuteMs)).toBe(false);
    expect(adopted(other, stored, 2_000 + 30 * minuteMs).state).toBe('recovering');
    expect(adopted(other, stored, 2_001 + 30 * minuteMs).state).toBe('closed');
  });
});
