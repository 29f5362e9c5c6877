/** The largest orders, embedded. */
import { expect, onTestFinished, test } from 'vitest';
import { textBytes } from '#core/codec/json-size.ts';
import { recordBytes } from '#core/codec/record-size.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { limits } from '#core/model/limits.ts';
import { type AgentImplementation, PermanentFault } from '#ports/agent-implementation.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { chain, filler, fills, join, largestDetails } from '../support/largest.ts';
import { testLog } from '../support/log.ts';
import { virtualClock } from '../support/virtual-clock.ts';

/** Submits one order with the largest details and processes it until it has ended. */
async function ended(workflow: WorkflowDefinition, agent: AgentImplementation) {
  const clock = virtualClock();
  const log = testLog();
  const inputs: number[] = [];
  const noting: AgentImplementation = {
    ...agent,
    contract: filler,
    async perform(input, call) {
      inputs.push(textBytes(JSON.stringify(input)));
      return agent.perform(input, call);
    },
  };
  const reeve = await startLocalReeve({
    workflows: [workflow],
    agents: [noting],
    path: ':memory:',
    clock,
    random: { next: () => 0.5 },
    log,
  });
  onTestFinished(reeve.close);
  const request = {
    workflow: workflow.name,
    details: largestDetails,
    priority: 'normal',
    tenant: null,
    replyTo: null,
    correlationId: null,
    key: null,
  } as const;
  const outcome = await reeve.submission.submit(request, 'ada');
  if (outcome.kind !== 'accepted') throw new Error(outcome.code);
  for (let turn = 0; turn < 50; turn += 1) await clock.advance(100);
  // A step in doubt is undone when no agent can still be at work on it.
  await clock.advance(65_000);
  const record = (await reeve.store.records([outcome.orderId])).get(outcome.orderId);
  if (record === undefined) throw new Error('the order is gone');
  return { record, inputs };
}

test.each([
  ['63 steps at once and one after all of them', join],
  ['a chain', chain],
])('64 steps, %s, each with the largest output, are Completed', async (_, workflow) => {
  const { record, inputs } = await ended(workflow, fills);
  expect(record.processState).toBe('Processed');
  const handedOn = record.steps.map(({ progress }) =>
    progress.state === 'Completed' ? textBytes(JSON.stringify(progress.output)) : 0,
  );
  expect(handedOn).toEqual(workflow.steps.map(({ outputBytesMax }) => outputBytesMax));
  expect(recordBytes(record)).toBeLessThanOrEqual(limits.recordBytesToStart);
  expect(Math.max(...inputs)).toBeLessThanOrEqual(limits.requestBytesMax);
});

test('an input with the details and the outputs of 63 steps fits a request', async () => {
  const { inputs } = await ended(join, fills);
  expect(Math.max(...inputs)).toBeGreaterThan(limits.requestBytesMax * 0.95);
});

test.each([
  ['63 steps at once', join],
  ['a chain', chain],
])('%s: all are undone when the last one fails', async (_, workflow) => {
  let performed = 0;
  const failing: AgentImplementation = {
    ...fills,
    contract: filler,
    async perform(input, call) {
      performed += 1;
      if (performed === limits.stepsMax) throw new PermanentFault('refused', 'No.', 'none');
      return fills.perform(filler.input.parse(input), call);
    },
    undo: async () => {},
  };
  const { record } = await ended(workflow, failing);
  expect(record.processState).toBe('Undone');
});

test('a step whose output is too large fails with a reason', async () => {
  const { record } = await ended(join, {
    ...fills,
    contract: filler,
    perform: async () => 'x'.repeat((join.steps[0]?.outputBytesMax ?? 0) - 1),
    undo: async () => {},
  });
  expect(record).toMatchObject({
    processState: 'Undone',
    fault: { code: 'output-too-large', effect: 'possible' },
  });
});
