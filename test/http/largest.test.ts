/** The document of the largest order fits the answer of a function, and has what explains the state of the order. */
import { expect, onTestFinished, test } from 'vitest';
import { textBytes } from '#core/codec/json-size.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import type { JsonValue } from '#core/model/json.ts';
import { limits } from '#core/model/limits.ts';
import { inputsBytesMax, leftOut } from '#http/shown-inputs.ts';
import { orderView } from '#http/view.ts';
import { type AgentImplementation, PermanentFault } from '#ports/agent-implementation.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { chain, fills, join, largestDetails } from '../support/largest.ts';
import { testLog } from '../support/log.ts';
import { virtualClock } from '../support/virtual-clock.ts';

/** Of the whole answer of a function (AWS Lambda, quotas). */
const answerBytesMax = 6 * 1_024 * 1_024;

/** The document of an order with these details, when it has stopped. */
async function stopped(
  workflow: WorkflowDefinition,
  agent: AgentImplementation,
  details: JsonValue,
) {
  const clock = virtualClock();
  const reeve = await startLocalReeve({
    workflows: [workflow],
    agents: [agent],
    path: ':memory:',
    clock,
    random: { next: () => 0.5 },
    log: testLog(),
  });
  onTestFinished(reeve.close);
  const none = { priority: 'normal', tenant: null, replyTo: null, correlationId: null } as const;
  const request = { workflow: workflow.name, details, ...none, key: null };
  const outcome = await reeve.submission.submit(request, 'ada');
  if (outcome.kind !== 'accepted') throw new Error(outcome.code);
  for (let turn = 0; turn < 50; turn += 1) await clock.advance(100);
  const { orderId } = outcome;
  const record = (await reeve.store.records([orderId])).get(orderId);
  const order = (await reeve.store.orders([orderId])).get(orderId);
  if (record === undefined || order === undefined) throw new Error('the order is gone');
  return orderView(record, order, workflowRegistry([workflow]));
}

test.each([
  ['63 steps at once, and one after all of them', join],
  ['a chain of 64 steps', chain],
])('%s, with details that JSON has to escape', async (_, workflow) => {
  const note = '"'.repeat(limits.detailsBytesMax / 2 - 250);
  const document = await stopped(workflow, fills, { note });
  expect(document.processState).toBe('Processed');
  const inputs = Object.values(document.steps).map(({ input }) => input);
  const shown = inputs.filter((input) => input !== leftOut);
  const bytes = shown.reduce<number>((sum, input) => sum + textBytes(JSON.stringify(input)), 0);
  expect(shown.length).toBeGreaterThan(4);
  expect(bytes).toBeLessThanOrEqual(inputsBytesMax);
  const answer = JSON.stringify({ statusCode: 200, body: JSON.stringify(document) });
  expect(textBytes(answer)).toBeLessThan(answerBytesMax);
});

test('the input of a step that failed is shown before others', async () => {
  let performed = 0;
  const failing: typeof fills = {
    ...fills,
    async perform(input, call) {
      performed += 1;
      if (performed === 60) throw new PermanentFault('declined', 'It is full.', 'none');
      return fills.perform(input, call);
    },
  };
  const { steps } = await stopped(chain, failing, largestDetails);
  expect(steps['step-60']).toMatchObject({ state: 'Failed', input: { seen: { details: {} } } });
  const shown = Object.entries(steps).filter(([, { input }]) => input !== leftOut);
  const before = [1, 2, 3, 4, 5, 6].map((at) => `step-${at}`);
  expect(shown.map(([name]) => name)).toEqual([...before, 'step-60']);
});
