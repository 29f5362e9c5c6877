/** When a circuit opens, who may probe it, and how fast a service that is back is called. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  admitsAt,
  admitted,
  afterCall,
  afterNoCall,
  type Circuit,
  mayCall,
  newCircuit,
} from '#core/flow/circuit.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;

/** A call in the present epoch. */
const ends = (circuit: Circuit, order: string, isAnswered: boolean, nowMs = 0): Circuit =>
  afterCall(circuit, { epoch: circuit.epoch, step: `${order} a`, order, isAnswered }, nowMs);

function failing(circuit: Circuit, times: number, nowMs = 0, orders = 2): Circuit {
  let next = circuit;
  for (let at = 0; at < times; at += 1) next = ends(next, `o${at % orders}`, false, nowMs);
  return next;
}

function answering(circuit: Circuit, times: number, everyMs: number): Circuit {
  let next = circuit;
  for (let at = 0; at < times; at += 1) next = ends(next, 'good', true, at * everyMs);
  return next;
}

const opened = failing(newCircuit(0), 5);

function admittedNow(circuit: Circuit, step: string, nowMs: number): Circuit {
  const next = admitted(circuit, step, nowMs);
  expect(next).not.toBeNull();
  return next ?? circuit;
}

describe('a closed circuit', () => {
  it('opens when five calls in a row fail', () => {
    expect(failing(newCircuit(0), 4).state).toBe('closed');
    expect(opened).toMatchObject({ state: 'open', probeAt: secondMs });
  });

  it('opens when half of the latest calls fail', () => {
    const good = answering(newCircuit(0), 100, 10);
    expect(failing(good, 13, secondMs).state).toBe('closed');
    expect(failing(good, 14, secondMs).state).toBe('open');
  });

  it('stays closed while only one order fails, which may be the cause itself', () => {
    expect(failing(newCircuit(0), 100, 0, 1).state).toBe('closed');
  });

  it('forgets failures after five minutes', () => {
    const before = failing(newCircuit(0), 4);
    expect(failing(before, 1, 5 * minuteMs).state).toBe('open');
    expect(failing(before, 1, 5 * minuteMs + 1).state).toBe('closed');
  });

  it('forgets whose calls failed once others are answered', () => {
    const one = failing(newCircuit(0), 1, 0, 1);
    const mended = answering(one, 2, 1);
    const other = ends(mended, 'other', false);
    expect(failing(other, 1, 0, 1)).toMatchObject({
      latest: { failing: 'other', isOfSeveral: true },
    });
    expect(other).toMatchObject({ latest: { failing: 'other', isOfSeveral: false } });
  });
});

describe('an open circuit', () => {
  it('admits one probe, a second after it opened', () => {
    expect(admitted(opened, 'x', secondMs - 1)).toBeNull();
    const probing = admittedNow(opened, 'x', secondMs);
    expect(probing.state).toBe('half-open');
    expect(admitted(probing, 'y', minuteMs)).toBeNull();
    expect([mayCall(probing, 'x'), mayCall(probing, 'y'), mayCall(opened, 'x')]).toEqual([
      ...[true, false, false],
    ]);
    expect(admitsAt(probing, minuteMs)).toBeNull();
  });

  it('is probed less often the more probes fail, and every four seconds at last', () => {
    let circuit = opened;
    const waits: number[] = [];
    for (let probe = 0; probe < 5; probe += 1) {
      const at = admitsAt(circuit, 0) ?? 0;
      const probing = admittedNow(circuit, 'p a', at);
      circuit = ends(probing, 'p', false, at);
      waits.push((admitsAt(circuit, at) ?? 0) - at);
    }
    expect(waits).toEqual([2, 4, 4, 4, 4].map((seconds) => seconds * secondMs));
  });

  it('R27: a call that began in another epoch changes nothing, and neither does one that is no probe', () => {
    const probing = admittedNow(opened, 'p a', secondMs);
    for (const isAnswered of [true, false]) {
      const stale = { epoch: 0, step: 'p a', order: 'p', isAnswered };
      expect(afterCall(probing, stale, secondMs)).toBe(probing);
      expect(ends(probing, 'other', isAnswered)).toBe(probing);
      expect(ends(opened, 'p', isAnswered)).toBe(opened);
    }
  });

  it('lets another step probe when its probe made no call', () => {
    const probing = admittedNow(opened, 'p a', secondMs);
    expect(afterNoCall(probing, 'other a', secondMs)).toBe(probing);
    const again = afterNoCall(probing, 'p a', 2 * secondMs);
    expect(admittedNow(again, 'q a', 2 * secondMs)).toMatchObject({
      state: 'half-open',
      probe: 'q a',
    });
  });
});

/** The steps that a recovering circuit admits, when so many are asked for at every 10 ms. */
function admittedWithin(circuit: Circuit, ms: number, each: number): number[] {
  const perSecond: number[] = [];
  let next = circuit;
  for (let at = 0; at < ms; at += 10) {
    const second = Math.floor(at / secondMs);
    perSecond[second] ??= 0;
    for (let asked = 0; asked < each; asked += 1) {
      const then = admitted(next, 'x', at);
      if (then === null) break;
      next = then;
      perSecond[second] += 1;
    }
  }
  return perSecond;
}

describe('a recovering circuit', () => {
  const busy = answering(newCircuit(0), 3_000, 10);
  const recovering = ends(admittedNow(failing(busy, 20, 0), 'p a', secondMs), 'p', true, 0);

  it('has 90 % of the former rate within nine seconds, and never more than 1.2 times it for five minutes', () => {
    const counts = admittedWithin(recovering, 5 * minuteMs, 1_000);
    expect(counts[0]).toBeLessThanOrEqual(3);
    expect(counts[8]).toBeGreaterThanOrEqual(90);
    expect(Math.max(...counts)).toBeLessThanOrEqual(120);
  });

  it('grows after five minutes, because the service has proven itself', () => {
    const counts = admittedWithin(recovering, 15 * minuteMs, 1_000);
    expect(counts.at(-1)).toBeGreaterThan(400);
  });

  it('is closed when fewer calls are asked for than it admits', () => {
    let circuit: Circuit = recovering;
    for (let at = 0; at < 20 * secondMs; at += 100) circuit = admitted(circuit, 'x', at) ?? circuit;
    expect(circuit.state).toBe('closed');
  });

  it('opens again when calls fail, and remembers the rate from before the outage', () => {
    const again = failing(recovering, 5);
    expect(again.state).toBe('open');
    expect(again).toMatchObject({ goodRate: { perSecond: expect.closeTo(100, 0), isKnown: true } });
  });

  it('says when it admits the next step, at most a second ahead', () => {
    const one = admittedNow(recovering, 'x', 0);
    expect(admitsAt(one, 0)).toBe(secondMs);
    expect(admitsAt(recovering, 0)).toBe(0);
  });
});

/** The circuit of a service that answers again after an outage that began in this one. */
function back(before: Circuit, nowMs: number): Circuit {
  const open = failing(before, 20, nowMs);
  return ends(admittedNow(open, 'p a', nowMs + secondMs), 'p', true, 0);
}

/** Answered calls from an instant on. */
function answeringFrom(circuit: Circuit, fromMs: number, times: number, everyMs: number): Circuit {
  let next = circuit;
  for (let at = 0; at < times; at += 1) next = ends(next, 'good', true, fromMs + at * everyMs);
  return next;
}

describe('the rate before an outage', () => {
  const hourMs = 60 * minuteMs;
  const rateOf = (circuit: Circuit, nowMs: number) => {
    const open = failing(circuit, 20, nowMs);
    return open.state === 'open' ? open.goodRate : null;
  };

  it.each([
    ['of a new process is unknown', newCircuit(0), 0, 10, false],
    ['of nine seconds is unknown', answeringFrom(newCircuit(0), 0, 901, 10), 9_000, 100, false],
    ['of ten seconds is known', answeringFrom(newCircuit(0), 0, 1_001, 10), 10_000, 100, true],
    [
      'of few calls is known, and 10 at least',
      answering(newCircuit(0), 11, 5_000),
      50_000,
      10,
      true,
    ],
  ])('%s', (_, circuit, nowMs, perSecond, isKnown) => {
    expect(rateOf(circuit, nowMs)).toEqual({ perSecond: expect.closeTo(perSecond, 0), isKnown });
  });

  it('does not contain the time before the first call', () => {
    const late = answeringFrom(newCircuit(0), 30 * secondMs, 201, 10);
    expect(rateOf(late, 32 * secondMs)).toEqual({
      perSecond: expect.closeTo(100, 0),
      isKnown: false,
    });
  });

  it('is measured anew when calls begin again after a minute', () => {
    const long = answering(newCircuit(0), 2_000, 10);
    const soon = answeringFrom(long, 18 * secondMs + minuteMs, 201, 10);
    expect(rateOf(soon, 80 * secondMs)).toMatchObject({ isKnown: true });
    const later = answeringFrom(long, hourMs, 201, 10);
    expect(rateOf(later, hourMs + 2 * secondMs)).toEqual({
      perSecond: expect.closeTo(100, 0),
      isKnown: false,
    });
  });

  it('that was unknown is not known by the calls that the ramp let through', () => {
    let circuit = back(newCircuit(0), 0);
    for (let at = 0; circuit.state === 'recovering'; at += 100) {
      circuit = admitted(ends(circuit, 'good', true, at), 'x', at) ?? circuit;
    }
    expect(circuit.state).toBe('closed');
    expect(rateOf(circuit, minuteMs)).toEqual({ perSecond: 10, isKnown: false });
  });
});

describe('a recovering circuit of which no rate is known', () => {
  it('begins with the same ramp, and grows to 300 calls per second within 15 seconds after it', () => {
    const counts = admittedWithin(back(newCircuit(0), 0), 23 * secondMs, 1_000);
    expect(counts[0]).toBeLessThanOrEqual(3);
    expect(Math.max(...counts.slice(0, 8))).toBeLessThanOrEqual(12);
    expect(counts.at(-1)).toBeGreaterThanOrEqual(300);
    // Slow start: a second never has much more than the one before.
    for (const [second, count] of counts.entries()) {
      expect(count).toBeLessThanOrEqual(3 + 2 * (counts[second - 1] ?? 0));
    }
  });

  it('begins with the rate that was measured so far', () => {
    const short = answering(newCircuit(0), 201, 10);
    const counts = admittedWithin(back(short, 2 * secondMs), 10 * secondMs, 1_000);
    expect(counts[7]).toBeGreaterThanOrEqual(80);
    expect(counts[9]).toBeGreaterThanOrEqual(120);
  });

  it('opens when calls fail while it grows, and its rate is still unknown', () => {
    let circuit = back(newCircuit(0), 0);
    for (let at = 0; at < 14 * secondMs; at += 10) {
      const next = admitted(circuit, 'x', at);
      if (next !== null) circuit = ends(next, 'good', true, at);
    }
    expect(circuit.state).toBe('recovering');
    const again = failing(circuit, 30, 14 * secondMs);
    expect(again).toMatchObject({
      state: 'open',
      probeAt: 15 * secondMs,
      goodRate: { perSecond: 10, isKnown: false },
    });
    expect(admitted(again, 'x', 14 * secondMs)).toBeNull();
  });

  it('is closed when fewer calls are asked for than it admits', () => {
    let circuit = back(newCircuit(0), 0);
    for (let at = 0; at < 20 * secondMs; at += 100) circuit = admitted(circuit, 'x', at) ?? circuit;
    expect(circuit.state).toBe('closed');
  });
});

it('R27: however calls end, at most one probe per epoch is in flight, and every open circuit is probed', () => {
  const what = fc.constantFrom('ask', 'ask', 'answered', 'failed', 'dropped', 'wait');
  const move = fc.record({ what, step: fc.nat({ max: 4 }), ms: fc.nat({ max: 2_000 }) });
  fc.assert(
    fc.property(fc.array(move, { maxLength: 200 }), (moves) => {
      let circuit: Circuit = newCircuit(0);
      let now = 0;
      const probes = new Map<number, number>();
      for (const { what: done, step, ms } of moves) {
        const name = `o${step} a`;
        if (done === 'wait') now += ms;
        else if (done === 'dropped') circuit = afterNoCall(circuit, name, now);
        else if (done === 'ask') {
          const next = admitted(circuit, name, now);
          if (next?.state === 'half-open') {
            probes.set(next.epoch, (probes.get(next.epoch) ?? 0) + 1);
          }
          circuit = next ?? circuit;
        } else if (mayCall(circuit, name)) {
          circuit = ends(circuit, `o${step}`, done === 'answered', now);
        }
        const next = admitsAt(circuit, now);
        if (circuit.state !== 'half-open') expect(next).toBeLessThanOrEqual(now + 4 * secondMs);
        if (next === now) expect(admitted(circuit, 'x', now)).not.toBeNull();
      }
      expect(Math.max(0, ...probes.values())).toBeLessThanOrEqual(1);
    }),
  );
});
