/** The order in which steps that wait for an agent have their turns. */
import { expect, test } from 'vitest';
import { orderId } from '#core/model/ids.ts';
import type { Nudge } from '#core/model/message.ts';
import { tenantWeights } from '#in-process/tenant-weights.ts';
import { waitingQueue } from '#in-process/waiting-queue.ts';

const nudge = (step: string, priority: Nudge['priority'] = 'normal'): Nudge => ({
  orderId: orderId(step),
  priority,
});

function taken(queue: ReturnType<typeof waitingQueue>): readonly string[] {
  const steps: string[] = [];
  for (let next = queue.peek(); next !== undefined; next = queue.peek()) {
    steps.push(next.key);
    queue.take();
  }
  return steps;
}

test('steps that have had their turn are before all others, in the order in which they come', () => {
  const queue = waitingQueue(tenantWeights());
  queue.add('a', nudge('a', 'high'));
  queue.addFirst('b', nudge('b', 'low'));
  queue.addFirst('c', nudge('c'));
  queue.add('d', nudge('d'));
  queue.add('b', nudge('b', 'high'));
  queue.remove('d');
  expect([queue.size(), queue.has('b'), queue.has('d')]).toEqual([3, true, false]);
  expect(queue.peek()?.item.priority).toBe('high');
  expect(taken(queue)).toEqual(['b', 'c', 'a']);
  expect(queue.size()).toBe(0);
});

test('one that is removed has no turn', () => {
  const queue = waitingQueue(tenantWeights());
  queue.addFirst('a', nudge('a'));
  queue.add('b', nudge('b'));
  queue.remove('a');
  expect(taken(queue)).toEqual(['b']);
});
