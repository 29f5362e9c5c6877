/** Worlds whose workflows and agents are drawn: they break no rule, and every option is drawn. */
import { expect, test } from 'vitest';
import { singletonRules } from '#core/definition/singleton.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { remedies } from '#core/model/policy.ts';
import { crashPoints } from '#sim/faults/crash-points.ts';
import { drawnOrders } from '#sim/orders/drawn/drawn-orders.ts';
import { simulateDrawn } from '#sim/orders/drawn/simulate-drawn.ts';
import { settle } from '#testing/prove/settle.ts';

const points = crashPoints();

test.each([1, 26, 51, 76])(
  '25 worlds of drawn orders break no rule, from seed %i',
  async (first) => {
    for (let seed = first; seed < first + 25; seed += 1) {
      const options = { seed, settle, crashPoints: points, keepStory: false };
      const { violations, orders } = await simulateDrawn(options);
      expect({ seed, violations }).toEqual({ seed, violations: [] });
      expect(orders).toBeGreaterThanOrEqual(3);
    }
  },
);

test('the same seed draws the same orders, and another one draws others', () => {
  const textOf = (seed: number) => {
    const { registries, limits, contracts } = drawnOrders(seed);
    return JSON.stringify([registries.new.all, limits, contracts.map(({ name }) => name)]);
  };
  expect(textOf(7)).toBe(textOf(7));
  expect(new Set(Array.from({ length: 50 }, (_, seed) => textOf(seed + 1))).size).toBe(50);
});

const kinds = ['per-tenant', 'per-workflow', 'whole', 'more'] as const;
const amounts = ['rate', 'at once', 'rate, at once'] as const;
/** All that orders are made of. */
const options = [
  ...['version 1', 'version 2', 'order deadline hold', 'order deadline undo', 'no order deadline'],
  ...['no singleton', ...singletonRules.map((rule) => `singleton ${rule}`)],
  ...[1, 2, 3, 4].map((count) => `steps ${count}`),
  ...[0, 1, 2, 3].map((count) => `after ${count}`),
  ...['when', 'always', 'agent', 'pool of 1 wait', 'pool of 2 wait', 'pool of 3 wait'],
  ...['pool of 2 undo-first', 'pool of 3 undo-first', 'undo offered', 'undo unneeded'],
  ...['undo offered, irreversible', 'undo unneeded, irreversible', 'undo impossible, irreversible'],
  ...remedies.flatMap((fault) =>
    remedies.map((exhausted) => `on fault ${fault}, exhausted ${exhausted}`),
  ),
  ...['hold max', 'max duration', 'cool-down', 'cool-down factor', 'cool-down max', 'undo policy'],
  ...kinds.flatMap((kind) => amounts.map((amount) => `limit ${kind}: ${amount}`)),
];

test('every option of steps, workflows and limits is drawn within 500 seeds', () => {
  const drawn = new Set<string>();
  for (let seed = 1; seed <= 500; seed += 1) {
    const { registries, limits } = drawnOrders(seed);
    for (const workflow of registries.new.all) noteWorkflow(drawn, workflow);
    for (const { name, rate, atOnce } of limits) {
      const amount = [...(rate ? ['rate'] : []), ...(atOnce ? ['at once'] : [])].join(', ');
      drawn.add(`limit ${name.split('/')[1]}: ${amount}`);
    }
  }
  expect([...drawn].toSorted()).toEqual(options.toSorted());
});

function noteWorkflow(
  drawn: Set<string>,
  { deadline, singleton, steps, version }: WorkflowDefinition,
) {
  drawn.add(`version ${version}`);
  drawn.add(deadline === undefined ? 'no order deadline' : `order deadline ${deadline.onLate}`);
  drawn.add(singleton === undefined ? 'no singleton' : `singleton ${singleton.else}`);
  drawn.add(`steps ${steps.length}`);
  for (const { undo, pool, failover, after, when, policy } of steps) {
    drawn.add(`undo ${undo}${policy.irreversible ? ', irreversible' : ''}`);
    drawn.add(pool === undefined ? 'agent' : `pool of ${pool.length} ${failover}`);
    drawn.add(`after ${after.length}`);
    drawn.add(when === null ? 'always' : 'when');
    drawn.add(`on fault ${policy.onFault}, exhausted ${policy.onExhausted}`);
    if (policy.holdMaxMs !== undefined) drawn.add('hold max');
    if (policy.maxDurationMs > policy.completeWithinMs) drawn.add('max duration');
    if (policy.coolDownTimes > 0) drawn.add('cool-down');
    if (policy.coolDownFactor !== undefined) drawn.add('cool-down factor');
    if (policy.coolDownMaxMs !== undefined) drawn.add('cool-down max');
    if (policy.undo !== undefined) drawn.add('undo policy');
  }
}
