/** Where the steps wait that stored records hold, while operators drain and resume agents. */
import { expect, test } from 'vitest';
import { agentName, stepName } from '#core/model/ids.ts';
import { heldSteps } from '#in-process/held-steps.ts';
import { newOrder } from '../support/orders.ts';

/** An order whose first step is held. */
function heldBy(gate: 'drained' | 'concurrency') {
  const { record } = newOrder('one', 0);
  const before = { state: 'NotStarted' } as const;
  const progress = { state: 'Held', gate, since: 1, until: 2, before } as const;
  const steps = record.steps.map((step) =>
    step.name === stepName('east') ? { ...step, agent: agentName('paint'), progress } : step,
  );
  return { ...record, steps, isHeld: true } as const;
}

function lists(drained: Set<string>) {
  const did: string[] = [];
  const held = heldSteps({
    membersOf: (_, { agent }) => [{ agent, weight: 1 }],
    hold: ({ agent }, _, members) => void did.push(`hold ${agent} for ${members?.length}`),
    forget: ({ agent }) => void did.push(`forget ${agent}`),
    isHeldBack: (agent) => drained.has(agent),
  });
  return { held, did };
}

test('a step that waits for an operator is in no list until its agent takes calls again', () => {
  const drained = new Set(['paint']);
  const { held, did } = lists(drained);
  held.onRecord(heldBy('concurrency'), null);
  held.onRecord(heldBy('drained'), heldBy('concurrency'));
  expect(did.splice(0)).toEqual(['hold paint for 1', 'forget paint']);
  held.release();
  expect(did).toEqual([]);
  drained.clear();
  held.release();
  held.release();
  expect(did).toEqual(['hold paint for 1']);
});

test('a step whose agent was resumed before its record was written does not wait for an operator', () => {
  const { held, did } = lists(new Set());
  held.onRecord(heldBy('drained'), null);
  expect(did).toEqual(['hold paint for 1']);
});

test('a step that waits no more is not let go on', () => {
  const drained = new Set(['paint']);
  const { held, did } = lists(drained);
  held.onRecord(heldBy('drained'), null);
  held.onRecord(newOrder('one', 0).record, heldBy('drained'));
  did.length = 0;
  drained.clear();
  held.release();
  expect(did).toEqual([]);
});
