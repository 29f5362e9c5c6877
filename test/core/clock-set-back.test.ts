/** What waits for an instant goes on when the clock is set back by an hour. */
import { expect, test } from 'vitest';
import {
  admitsAt,
  admitted,
  afterCall,
  type Circuit,
  newCircuit,
  settled,
} from '#core/flow/circuit.ts';
import { endpointPool } from '#core/flow/endpoint-pool.ts';

const second = 1_000;
const hour = 3_600 * second;
const at = Date.UTC(2026, 0, 1);

function opened(): Circuit {
  let circuit: Circuit = newCircuit(at);
  for (let call = 0; call < 6; call += 1) {
    const end = { epoch: circuit.epoch, step: `s${call}`, order: `o${call}`, isAnswered: false };
    circuit = afterCall(circuit, end, at);
  }
  expect(circuit.state).toBe('open');
  return circuit;
}

function recovering(): Circuit {
  const probe = admitted(opened(), 'p', at + second);
  if (probe === null) throw new Error('no probe');
  const end = { epoch: probe.epoch, step: 'p', order: 'p', isAnswered: true };
  return afterCall(probe, end, at + second);
}

test('an open circuit admits its probe', () => {
  const circuit = opened();
  expect(admitsAt(circuit, at - hour)).toBe(at - hour);
  expect(admitted(circuit, 'x', at - hour)).toMatchObject({ state: 'half-open' });
  // By clocks that differ by a little, the probe is due when its instant says.
  expect(admitted(circuit, 'x', at - second)).toBeNull();
});

test('a recovering circuit admits more and more calls, and is closed', () => {
  let circuit = recovering();
  for (let calls = 0; calls < 50; calls += 1) {
    circuit = admitted(circuit, `before-${calls}`, at + 5 * second) ?? circuit;
  }
  let called = 0;
  for (let call = 0; call < 600; call += 1) {
    const nowMs = at - hour + call * 100;
    circuit = settled(circuit, nowMs);
    const next = admitted(circuit, `x${call}`, nowMs);
    if (next === null) continue;
    circuit = next;
    called += 1;
  }
  expect(called).toBeGreaterThan(500);
  expect(circuit.state).toBe('closed');
});

test('of endpoints whose ejections followed each other, one can be called', () => {
  const pool = endpointPool([{ url: 'a' }, { url: 'b' }]);
  const fail = (other: string, nowMs: number) => {
    for (let calls = 0; calls < 3; calls += 1) {
      pool.choose(nowMs, () => 0, new Set([other])).failed(nowMs, second);
    }
  };
  fail('b', 100 * second);
  fail('a', 105 * second);
  const states = pool.status(102 * second).map(({ state }) => state);
  expect(states).toEqual(['ejected', 'ejected']);
  expect(pool.choose(102 * second, () => 0, new Set(['a'])).url).toBe('b');
});
