/** The contract of HeldSteps, tested through the port and a state store. */
import { beforeEach, describe, expect, test } from 'vitest';
import { decide } from '#core/decide/decide.ts';
import { schedulerId, stepName } from '#core/model/ids.ts';
import type { Priority, ProcessRecord } from '#core/model/record.ts';
import type { HeldCounts, HeldPlace, HeldSteps } from '#ports/held-steps.ts';
import type { StateStore } from '#ports/state-store.ts';
import { details, house, newOrder } from '../support/orders.ts';

const now = Date.UTC(2026, 0, 1);

export interface HeldUnderTest {
  readonly store: StateStore;
  readonly heldSteps: HeldSteps & HeldCounts;
}

interface Waiting {
  readonly tenant?: string;
  readonly priority?: Priority;
  readonly since?: number;
}

/** After a claim that the gate of the agent let start nothing. */
function heldAt(record: ProcessRecord, nowMs: number): ProcessRecord {
  const hold = { gate: 'circuit', until: nowMs + 900_000 } as const;
  const holds = new Map([stepName('east'), stepName('west')].map((step) => [step, hold]));
  const known = { definition: house, details, holds };
  const decision = decide(record, { type: 'claim', by: schedulerId('s') }, known, nowMs);
  if (decision.kind === 'transition') return decision.record;
  throw new Error(decision.reason);
}

/** `open` returns an empty store. */
export function heldStepsContract(name: string, open: () => Promise<HeldUnderTest>): void {
  describe(`the contract of held steps: ${name}`, () => {
    let of: HeldUnderTest;
    beforeEach(async () => {
      of = await open();
    });

    /** Stores an order whose first step is held; returns its record. */
    async function hold(id: string, { tenant, priority = 'normal', since = 0 }: Waiting = {}) {
      const { order, record } = newOrder(id, now);
      const created = { ...record, tenant: tenant ?? null, priority };
      await of.store.create(order, created);
      const held = heldAt(created, now + since);
      await of.store.commit(held);
      return { created, held };
    }

    const waiting = async (after: HeldPlace | null = null, limit = 10, agent = 'paint') =>
      (await of.heldSteps.waiting(agent, 'normal', limit, after)).map(({ orderId }) => orderId);

    test('an order waits for the agent of its held step, in its class', async () => {
      await hold('one');
      await hold('two', { priority: 'high' });
      expect(await waiting()).toEqual(['one']);
      expect(await of.heldSteps.waiting('paint', 'high', 10, null)).toMatchObject([
        { orderId: 'two' },
      ]);
      expect(await waiting(null, 10, 'print')).toEqual([]);
    });

    test('an order that goes on waits no more', async () => {
      const { created, held } = await hold('one');
      await of.store.commit({ ...created, revision: held.revision + 1 });
      expect(await waiting()).toEqual([]);
    });

    test('the orders of one tenant come together, the one that has waited longest first', async () => {
      await hold('b1', { tenant: 'b', since: 2_000 });
      await hold('a1', { tenant: 'a', since: 10_000 });
      await hold('b2', { tenant: 'b', since: 100 });
      await hold('a2', { tenant: 'a', since: 9_000 });
      const found = await waiting();
      expect(found.toSorted()).toEqual(['a1', 'a2', 'b1', 'b2']);
      const at = (id: string) => found.map(String).indexOf(id);
      expect(at('a1')).toBe(at('a2') + 1);
      expect(at('b1')).toBe(at('b2') + 1);
    });

    test('after a tenant come only the tenants behind it, for every name', async () => {
      for (const [at, tenant] of ['*', '#', '~', 'constructor', 'ü'].entries()) {
        await hold(`${at}-1`, { tenant });
        await hold(`${at}-2`, { tenant, since: 5 });
      }
      await hold('none');
      const found: string[] = [];
      let after: HeldPlace | null = null;
      for (;;) {
        const page = await of.heldSteps.waiting('paint', 'normal', 1, after);
        const [first] = page;
        if (first === undefined) break;
        found.push(first.orderId);
        after = first;
      }
      expect(found.toSorted()).toEqual(['0-1', '1-1', '2-1', '3-1', '4-1', 'none']);
    });

    test('orders are counted by tenant, and those that have waited since an instant among them', async () => {
      await hold('a1', { tenant: 'a', since: 100 });
      await hold('a2', { tenant: 'a', since: 200 });
      await hold('a3', { tenant: 'a', since: 300 });
      await hold('b1', { tenant: 'b', since: 400 });
      await hold('none');
      await hold('high', { priority: 'high' });
      const counts = await of.heldSteps.count('paint', 'normal', now + 200);
      const [some] = await of.heldSteps.waiting('paint', 'normal', 1, null);
      expect(counts.map(({ flow }) => flow)).toContain(some?.flow);
      const numbers = counts.map(({ waiting: all, early }) => `${early} of ${all}`);
      expect(numbers.toSorted()).toEqual(['0 of 1', '1 of 1', '2 of 3']);
      const late = await of.heldSteps.count('paint', 'normal', null);
      expect(late.map(({ early }) => early)).toEqual([0, 0, 0]);
      expect(await of.heldSteps.count('print', 'normal', null)).toEqual([]);
    });

    test('there are at most as many as are asked for', async () => {
      for (let at = 0; at < 5; at += 1) await hold(`o${at}`, { since: at });
      expect(await waiting(null, 3)).toEqual(['o0', 'o1', 'o2']);
    });
  });
}
