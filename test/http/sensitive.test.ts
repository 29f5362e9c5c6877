/** A sensitive field goes to the agent that needs it and appears nowhere else: all output is searched. */
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { workflowRegistry } from '#core/definition/registry.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { agentName } from '#core/model/ids.ts';
import { processApi } from '#http/process-api.ts';
import { orderView } from '#http/view.ts';
import { PermanentFault } from '#ports/agent-implementation.ts';
import { assembleSubmissionBatch } from '#roles/assemble.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { jsonLog } from '#runtime/node/json-log.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { claimed, newOrder, next } from '../support/orders.ts';

const refusedToken = 'tok_refused_4711';
const rightToken = 'tok_right_0815';
const json = { 'content-type': 'application/json' };

const olga = { name: 'olga', role: 'operator', tenant: null } as const;

const bank = defineAgent({
  name: 'bank',
  input: z.object({ token: z.string() }),
  output: z.object({ receipt: z.string() }),
  undo: 'offered',
});

const sale = defineWorkflow({
  name: 'sale',
  version: 1,
  details: z.strictObject({
    payment: z.strictObject({ token: z.string().min(8).meta({ sensitive: true }) }),
  }),
})
  .step('pay', {
    agent: bank,
    onFault: 'hold',
    input: ({ details }) => ({ token: details.payment.token }),
  })
  .build();

/** A bank that quotes its input, and a Reeve whose whole output is kept. */
async function scenario() {
  const output: string[] = [];
  const asked: string[] = [];
  const log = jsonLog(systemClock, 'info', (line) => output.push(line));
  const reeve = await startLocalReeve({
    workflows: [sale],
    agents: [
      {
        contract: bank,
        async perform({ token }: { token: string }) {
          asked.push(token);
          if (token === rightToken) return { receipt: `paid with ${token}` };
          throw new PermanentFault('declined', `Token ${token} is not accepted.`, 'none');
        },
        async undo() {},
      },
    ],
    path: ':memory:',
    clock: systemClock,
    random: { next: () => 0.5 },
    log,
    responseChannels: { desk: async ({ body }) => void output.push(body) },
    onAlert: async (alert) => void output.push(JSON.stringify(alert)),
  });
  onTestFinished(() => reeve.close());
  const app = processApi({
    ...reeve,
    batch: assembleSubmissionBatch(reeve),
    clock: systemClock,
    log,
    guard: { hosts: null, identify: () => ({ kind: 'known', principal: olga }), pages: new Set() },
    accessLog: (access) => output.push(JSON.stringify(access)),
    sweepLateMs: 60_000,
  });
  const ask = async (path: string, body?: unknown): Promise<string> => {
    const init = { method: 'POST', headers: json, body: JSON.stringify(body) };
    const response = await app.request(path, body === undefined ? {} : init);
    const text = await response.text();
    output.push(text);
    return text;
  };
  return { ask, output, asked };
}

test('no response, status message, alert or log line contains a value that a workflow marks as sensitive', async () => {
  const { ask, output, asked } = await scenario();
  const body = { workflow: 'sale', replyTo: 'desk', details: { payment: { token: refusedToken } } };
  const { orderId } = JSON.parse(await ask('/orders', body));
  // Follows the order from before it stops until it has ended.
  const followed = ask(`/orders/${orderId}/events`);
  const reaches = (state: string) =>
    expect.poll(async () => JSON.parse(await ask(`/orders/${orderId}`)).processState).toBe(state);
  await reaches('Error');
  await ask('/orders?state=Error');
  await ask(`/orders/${orderId}/resubmit`, { set: { 'payment.token': 'short' } });
  await ask(`/orders/${orderId}/resubmit`, { set: { 'payment.tokens': rightToken } });
  await ask(`/orders/${orderId}/resubmit`, { set: { 'payment.token': rightToken } });
  await reaches('Processed');
  await followed;
  await ask(`/orders/${orderId}`);
  await ask('/orders');

  expect(asked).toEqual([refusedToken, rightToken]);
  expect(output.length).toBeGreaterThan(10);
  expect(output.filter((text) => text.includes(refusedToken) || text.includes(rightToken))).toEqual(
    [],
  );
  const last = JSON.parse(await ask(`/orders/${orderId}`));
  expect(last).toMatchObject({
    details: { payment: { token: '[redacted]' } },
    steps: { pay: { input: { token: '[redacted]' }, output: { receipt: 'paid with [redacted]' } } },
  });
  expect(last.history.map(({ type }: { type: string }) => type)).toContain('resubmit');
  expect(output.join('\n')).toContain('Token [redacted] is not accepted.');
});

test('of an order whose definition is not known, no text that others wrote is shown', () => {
  const at = Date.UTC(2026, 0, 1);
  const { order, record } = newOrder('one', at);
  const running = claimed(record, at);
  const [step] = running.steps;
  if (step === undefined) throw new RangeError('it has no step');
  const failed = next(
    running,
    {
      ...{ type: 'stepFailed', step: step.name, attempt: 1, agent: agentName(step.agent) },
      fault: { code: 'declined', message: `Token ${refusedToken}.`, effect: 'none' },
    },
    at,
  );
  const text = JSON.stringify(orderView(failed, order, workflowRegistry([])));
  expect(text).toContain('[redacted]');
  expect(text).not.toContain(refusedToken);
});
