/** What operators see of agents on AWS, and what starts after one takes calls again. */
import { expect, test } from 'vitest';
import { agentName, orderId } from '#core/model/ids.ts';
import type { Nudge } from '#core/model/message.ts';
import { sharedAgentReports } from '#distributed/agent-reports.ts';
import { nudgeWaiting } from '#distributed/nudge-waiting.ts';
import type { HeldSteps } from '#ports/held-steps.ts';
import { memoryCircuits } from '../support/memory-circuits.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const [paint, print] = [agentName('paint'), agentName('print')];

test('the circuits are those that the instances share, and what waits is as the latest sweep counted it', async () => {
  const clock = virtualClock();
  const circuits = memoryCircuits();
  const goodRate = { perSecond: 1, isKnown: true };
  const since = clock.now() - 5_000;
  const open = { state: 'open', epoch: 1, since, probeAt: since, probes: 0, goodRate } as const;
  await circuits.store('paint', open, 0);
  const heldClass = { agent: 'paint', isUnavailable: true, flows: 1, largest: [], perSecond: null };
  const counted = { ...heldClass, from: 0, waitingFrom: 0 };
  const classes = [
    { ...counted, priority: 'high', waiting: 3 },
    { ...counted, priority: 'low', waiting: 4 },
  ] as const;
  const report = { read: async () => ({ at: clock.now(), classes }) };
  const reports = await sharedAgentReports({ circuits, report, clock })([paint, print]);
  const unknown = { inFlight: null, room: null };
  expect(reports.of(paint)).toEqual({ circuit: { state: 'open', since }, waiting: 7, ...unknown });
  expect(reports.of(print)).toEqual({
    circuit: { state: 'closed', since: null },
    ...{ waiting: 0, ...unknown },
  });
  expect(reports.waitingFor(paint)).toBe(7);
});

test('a circuit whose recovery is long over is shown as closed', async () => {
  const clock = virtualClock();
  const circuits = memoryCircuits();
  const goodRate = { perSecond: 1, isKnown: true };
  const from = clock.now();
  const since = from - 5_000;
  await circuits.store('paint', { state: 'recovering', epoch: 1, since, from, goodRate }, 0);
  const report = { read: async () => null };
  const shown = async () => {
    const reports = await sharedAgentReports({ circuits, report, clock })([paint]);
    return reports.of(paint).circuit;
  };
  expect(await shown()).toEqual({ state: 'recovering', since });
  await clock.advance(31 * 60_000);
  expect(await shown()).toEqual({ state: 'closed', since: null });
});

test('ten orders of each name are nudged when every instance knows the change', async () => {
  const clock = virtualClock();
  const sent: Nudge[] = [];
  const all = new Map([
    ['paint', Array.from({ length: 30 }, (_, at) => `o-${at}`)],
    ['pool', ['p-1']],
  ]);
  const heldSteps: HeldSteps = {
    waiting: async (agent, priority) =>
      priority === 'normal'
        ? (all.get(agent) ?? []).map((id) => ({ orderId: orderId(id), flow: 'none', queue: null }))
        : [],
  };
  const nudges = { send: async (more: readonly Nudge[]) => void sent.push(...more) };
  const nudge = nudgeWaiting({ heldSteps, nudges, clock });
  await nudge(['paint', 'pool', 'gone']);
  expect(sent.map((one) => one.orderId)).toEqual([
    ...Array.from({ length: 10 }, (_, at) => `o-${at}`),
    'p-1',
  ]);
  expect(new Set(sent.map(({ at }) => at))).toEqual(new Set([clock.now() + 1_500]));
  sent.length = 0;
  await nudge(['gone']);
  expect(sent).toEqual([]);
});
