/** The contract of Circuits, tested through the port alone. */
import { beforeEach, describe, expect, test } from 'vitest';
import type { SharedCircuit } from '#core/flow/shared-circuit.ts';
import type { Circuits } from '#ports/health/circuits.ts';

const common = { since: Date.UTC(2026, 0, 1), goodRate: { perSecond: 12.5, isKnown: true } };
const open = (epoch: number): SharedCircuit => ({
  ...common,
  state: 'open',
  epoch,
  probeAt: common.since + 1_000,
  probes: 2,
});
const states: readonly SharedCircuit[] = [
  open(1),
  {
    ...common,
    state: 'half-open',
    epoch: 2,
    probe: 'one/paint',
    probes: 2,
    by: 'instance-1',
    probeUntil: common.since + 9_000,
  },
  { ...common, state: 'recovering', epoch: 3, from: common.since + 3_000 },
  open(4),
  { ...open(5), goodRate: { perSecond: 10, isKnown: false } },
];

/** `openEmpty` returns new ones without a stored circuit. */
export function circuitsContract(name: string, openEmpty: () => Promise<Circuits>): void {
  describe(`the contract of circuits: ${name}`, () => {
    let circuits: Circuits;
    beforeEach(async () => {
      circuits = await openEmpty();
    });

    test('there is none at first', async () => {
      expect(await circuits.read('paint')).toBeNull();
    });

    test('each state is read as it was stored, one after the other', async () => {
      for (const state of states) {
        expect(await circuits.store('paint', state, state.epoch - 1)).toBe(true);
        expect(await circuits.read('paint')).toEqual(state);
      }
    });

    test('agents have circuits of their own', async () => {
      await circuits.store('paint', open(1), 0);
      expect(await circuits.read('print')).toBeNull();
      expect(await circuits.store('print', open(1), 0)).toBe(true);
    });

    test('only one of those that know the same epoch stores the next one', async () => {
      await circuits.store('paint', open(1), 0);
      const stored = await Promise.all(
        ['a', 'b', 'c', 'd'].map((probe) =>
          circuits.store(
            'paint',
            { ...common, state: 'half-open', epoch: 2, probe, probes: 0, by: probe, probeUntil: 9 },
            1,
          ),
        ),
      );
      expect(stored.filter(Boolean)).toHaveLength(1);
      expect(await circuits.read('paint')).toMatchObject({ epoch: 2 });
    });

    test('a change after an epoch that is not stored is refused, and changes nothing', async () => {
      await circuits.store('paint', open(1), 0);
      expect(await circuits.store('paint', open(1), 0)).toBe(false);
      expect(await circuits.store('paint', open(3), 2)).toBe(false);
      expect(await circuits.read('paint')).toEqual(open(1));
    });
  });
}
