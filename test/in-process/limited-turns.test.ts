/** The turns of steps that their limits refuse when their agent has a slot for them (R24). */
import { expect, test } from 'vitest';
import { orderId } from '#core/model/ids.ts';
import type { Nudge } from '#core/model/message.ts';
import { tenantWeights } from '#in-process/tenant-weights.ts';
import { waitingSteps } from '#in-process/waiting-steps.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const nudge = (step: string, priority: Nudge['priority'] = 'normal'): Nudge => ({
  orderId: orderId(step),
  priority,
});

/** The steps that wait for an agent with one slot, and the orders that were nudged. */
function agentWithOneSlot() {
  const nudged: string[] = [];
  let isBusy = true;
  const steps = waitingSteps({
    hasSlot: () => !isBusy && steps.reserved() === 0,
    circuit: {
      ...{ admits: () => true, admitsAt: () => 0, unsent() {}, state: () => 'closed' },
      takeFailedProbe: () => false,
    },
    weights: tenantWeights(),
    nudge: ({ orderId: id }) => nudged.push(id),
    clock: virtualClock(),
  });
  return {
    steps,
    nudged,
    /** The slot becomes free, and each step that gets it is refused by its limit. */
    refuseAll() {
      isBusy = false;
      steps.fill();
      for (let at = 0; at < nudged.length; at += 1) steps.remove(nudged[at] ?? '');
      isBusy = true;
    },
    /** The step that gets the slot next; its limit refuses it, or it begins. */
    next(isRefused: (step: string) => boolean = () => false): string {
      nudged.length = 0;
      isBusy = false;
      steps.fill();
      isBusy = true;
      const [step = ''] = nudged;
      if (isRefused(step)) steps.remove(step);
      else steps.take(step);
      return step;
    },
  };
}

const normal = Array.from({ length: 10 }, (_, at) => `normal${at}`);

test('a step of class high is not behind those of class normal that a limit refused at their turns', () => {
  const { steps, nudged, refuseAll, next } = agentWithOneSlot();
  for (const step of normal) steps.add(step, nudge(step), 0);
  refuseAll();
  expect(nudged).toEqual(normal);
  steps.add('high', nudge('high', 'high'), 0);
  for (const step of normal) steps.addFirst(step, nudge(step));
  expect(next()).toBe('high');
  expect(normal.map(() => next())).toEqual(normal);
});

test('a turn that was of no use to a step is that of the next one of its class', () => {
  const { steps, next } = agentWithOneSlot();
  for (const step of normal) steps.add(step, nudge(step), 0);
  for (let at = 0; at < 100; at += 1) steps.add(`high${at}`, nudge(`high${at}`, 'high'), 0);
  const isNormal = (step: string) => step.startsWith('normal');
  const turns = Array.from({ length: 20 }, () => next(isNormal));
  expect(turns.filter(isNormal)).toEqual(normal);
});
