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
    expect(again).toMatchObject({ goodRate: expect.closeTo(100, 0) });
  });

  it('says when it admits the next step, at most a second ahead', () => {
    const one = admittedNow(recovering, 'x', 0);
    expect(admitsAt(one, 0)).toBe(secondMs);
    expect(admitsAt(recovering, 0)).toBe(0);
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
