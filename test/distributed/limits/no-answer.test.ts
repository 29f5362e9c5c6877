/** What a call has of its limits when another one gives no answer, or has no slot: it is not lost. */
import { expect, test } from 'vitest';
import type { AgentLimit } from '#core/definition/agent-limit.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { sharedLimits } from '#distributed/limits/shared-limits.ts';
import { isHold } from '#ports/gates.ts';
import { type LimitTable, limitTable } from '#sim/ports/sim-limit-items.ts';
import { call } from '../../support/agent-requests.ts';
import { testLog } from '../../support/log.ts';
import { memoryItems } from '../../support/memory-limit-items.ts';
import { virtualClock } from '../../support/virtual-clock.ts';

const second = 1_000;
const hour = 3_600 * second;
const limit = (label: string, of: Partial<AgentLimit>): AgentLimit => ({
  ...{ name: `paint/${label}`, rate: null, atOnce: null, key: null },
  ...of,
});
const byTenant = { key: ({ tenant }: { readonly tenant: string | null }) => tenant };

/** An instance of the Scheduler; `failing`: the items of that limit, and those whose write is stored all the same. */
function instance(own: AgentLimit, shared: AgentLimit, table: LimitTable, clock = virtualClock()) {
  let failing: { readonly name: string; readonly isStored: boolean } | null = null;
  function through<Value>(name: string, write: () => Value): Value {
    if (failing === null || !name.startsWith(failing.name)) return write();
    if (failing.isStored) write();
    throw new UnavailableError('aws-unavailable', 'No answer.');
  }
  const limits = sharedLimits({
    limits: new Map([['paint', { own: [own], shared: [shared] }]]),
    items: memoryItems({
      ...table,
      advance: (name, change) => through(name, () => table.advance(name, change)),
      occupy: (name, change) => through(name, () => table.occupy(name, change)),
    }),
    clock,
    queueClock: { now: clock.now, aheadMs: () => 0, latest: (at) => at },
    ...{ random: { next: () => 0 }, instance: 'one', log: testLog() },
  });
  return {
    clock,
    fail(name: string, isStored = false) {
      failing = { name, isStored };
    },
    mend() {
      failing = null;
    },
    /** Whether a call may begin now that takes so long at most. */
    async ask(order: string, withinMs = 12 * hour): Promise<boolean> {
      const request = { ...call(order), completeBy: clock.now() + withinMs };
      const answer = await limits.ask(
        { ...request, completeWithinMs: withinMs, tenant: 'ada' },
        true,
      );
      await limits.settled();
      return !isHold(answer);
    },
  };
}

test.each([false, true])(
  'the room of one limit is free again when the write of the next one fails (stored: %s)',
  async (isStored) => {
    const one = limit('all', { atOnce: 1 });
    const two = limit('tenant', { atOnce: 1, ...byTenant });
    const of = instance(one, two, limitTable());
    of.fail(one.name, isStored);
    expect(await of.ask('fails')).toBe(false);
    of.mend();
    of.clock.jump(second);
    expect(await of.ask('later')).toBe(true);
  },
);

const hourly = limit('tenant', { rate: { count: 1, per: hour, burst: 1 }, ...byTenant });

test('the slot of a slow rate is not lost when the write of the next one fails', async () => {
  const all = limit('all', { rate: { count: 100, per: second, burst: 1 } });
  const of = instance(all, hourly, limitTable());
  of.fail(all.name);
  expect(await of.ask('one', 60 * second)).toBe(false);
  of.mend();
  of.clock.jump(second);
  expect(await of.ask('two', 60 * second)).toBe(true);
});

test('nor when the next one has no slot', async () => {
  const table = limitTable();
  const all = limit('all', { rate: { count: 1, per: 10 * second, burst: 1 } });
  const clock = virtualClock();
  const other = limit('other', { rate: { count: 1, per: hour, burst: 1 }, ...byTenant });
  expect(await instance(all, other, table, clock).ask('other', 60 * second)).toBe(true);
  const of = instance(all, hourly, table, clock);
  let seconds = 0;
  while (!(await of.ask(`at-${seconds}`, 60 * second))) {
    clock.jump(second);
    seconds += 1;
  }
  expect(seconds).toBeLessThanOrEqual(11);
});
