/** What a sweep nudges of the orders that wait for agents. */
import { expect, test } from 'vitest';
import { UnavailableError } from '#core/model/errors.ts';
import { orderId } from '#core/model/ids.ts';
import type { Nudge } from '#core/model/message.ts';
import { heldSweep } from '#distributed/held-sweep.ts';
import type { HeldSteps } from '#ports/held-steps.ts';
import { testLog } from '../support/log.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const sweepPeriodMs = 60_000;

/** Orders that wait, by agent; an agent without a list cannot be read. */
function sweepOf(waiting: Readonly<Record<string, readonly string[] | null>>) {
  const [clock, log] = [virtualClock(), testLog()];
  const sent: Nudge[] = [];
  const heldSteps: HeldSteps = {
    async waiting(agent, priority) {
      const own = waiting[agent] ?? null;
      if (own === null) throw new UnavailableError('aws-unavailable', 'No answer.');
      return priority === 'normal'
        ? own.map((id) => ({ orderId: orderId(id), flow: 'none', queue: null }))
        : [];
    },
  };
  const nudges = {
    async send(more: readonly Nudge[]) {
      if (more.some((nudge) => nudge.orderId.startsWith('refused'))) {
        throw new UnavailableError('aws-unavailable', 'No answer.');
      }
      sent.push(...more);
    },
  };
  const agents = Object.keys(waiting);
  const sweep = heldSweep({ agents, heldSteps, nudges, clock, log, sweepPeriodMs });
  return { clock, log, sent, sweep };
}

test('of many orders ten are nudged, one after the other until the next sweep', async () => {
  const orders = Array.from({ length: 30 }, (_, at) => `o-${at}`);
  const { clock, sent, sweep } = sweepOf({ paint: orders, print: [] });
  expect(await sweep()).toEqual(['paint']);
  expect(sent).toHaveLength(10);
  expect(sent.map(({ at = 0 }) => at - clock.now())).toEqual(
    Array.from({ length: 10 }, (_, turn) => turn * 6_000),
  );
});

test('an agent that cannot be read, or whose orders cannot be nudged, prevents no probe of another one', async () => {
  const { log, sent, sweep } = sweepOf({ paint: null, print: ['refused'], ship: ['o-1'] });
  expect(await sweep()).toEqual(expect.arrayContaining(['ship']));
  expect(sent.map((nudge) => nudge.orderId)).toEqual(['o-1']);
  expect(log.lines).toMatchObject([
    { event: 'held-steps-unread', fields: { agent: 'paint' } },
    { event: 'held-steps-unread', fields: { agent: 'print' } },
  ]);
});
