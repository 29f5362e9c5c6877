import { expect, test } from 'vitest';
import { probeChecker } from '#checkers/process/probe-checker.ts';
import { agentName } from '#core/model/ids.ts';

const packing = agentName('packing');

function circuit() {
  let state = 'half-open';
  let nowMs = 0;
  const breaches: string[] = [];
  const checker = probeChecker(
    () => state,
    () => nowMs,
    (rule, message) => breaches.push(`${rule} ${message}`),
  );
  return {
    breaches,
    probe: (endBy: number) =>
      checker.began(packing, { completeBy: endBy - 10, completeWithinMs: 2_000, endBy }),
    becomes(next: string) {
      state = next;
    },
    isAt(now: number) {
      nowMs = now;
    },
  };
}

test('two probes in flight are a breach', () => {
  const { probe, breaches, isAt } = circuit();
  probe(1_000);
  isAt(1_000);
  probe(2_000);
  expect(breaches).toEqual(['R27 packing has 2 probes in flight']);
});

test('a probe that ended, or whose attempt can no longer report, is not in flight', () => {
  const { probe, breaches, isAt } = circuit();
  probe(1_000)(() => {});
  probe(1_000);
  isAt(1_001);
  probe(2_000);
  expect(breaches).toEqual([]);
});

test('nor is one whose Scheduler had a clock that is days ahead, once its time is over', () => {
  const { probe, breaches, isAt } = circuit();
  probe(86_400_000);
  isAt(2_010);
  probe(86_500_000)(() => {});
  isAt(2_011);
  probe(4_000);
  expect(breaches).toEqual(['R27 packing has 2 probes in flight']);
});

test('the end of a call of an earlier epoch may not change the circuit', () => {
  const { probe, breaches, becomes } = circuit();
  const end = probe(1_000);
  becomes('open');
  end(() => becomes('recovering'));
  expect(breaches).toEqual([
    'R27 a call of an earlier epoch made the circuit of packing recovering',
  ]);
});
