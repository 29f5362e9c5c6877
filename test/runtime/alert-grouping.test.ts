/** The alerts that the terminal shows, and how often. */
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { Change } from '#core/model/change.ts';
import { agentName, orderId, stepName, workflowName } from '#core/model/ids.ts';
import { implementAgent, PermanentFault } from '#ports/agent-implementation.ts';
import { terminalAlert, terminalCircuit } from '#runtime/command/terminal-alert.ts';
import { type AlertText, alertGrouping } from '#runtime/local/alert-grouping.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

const fault = {
  code: 'card-declined',
  message: 'The card was declined.',
  effect: 'none',
  step: stepName('charge'),
  action: 'perform',
} as const;

function desk() {
  const clock = virtualClock();
  const said: AlertText[] = [];
  const { alert, close } = alertGrouping({
    show: (call) => said.push(call),
    clock,
  });
  return {
    clock,
    said,
    close,
    /** Whether it was shown so far. */
    stops(id: string, changes: Partial<Change> = {}) {
      const at = clock.now();
      const change: Change = {
        orderId: orderId(id),
        workflow: workflowName('sale'),
        workflowVersion: 1,
        sequence: 4,
        previousState: 'Processing',
        processState: 'Error',
        direction: 'forward',
        fault,
        tried: { agent: agentName('payment'), attempts: 3, coolDowns: 0, since: at - 120_000 },
        priority: 'normal',
        tenant: null,
        replyTo: null,
        correlationId: 'po-7',
        at,
        ...changes,
      };
      let isSaid = false;
      void alert({ change, remedy: `npx reeve resubmit ${id}` }, 'npx reeve').then(() => {
        isSaid = true;
      });
      return () => isSaid;
    },
  };
}

test('the first order of a cause is shown at once: what failed, the attempts, what to do', async () => {
  const { stops, said } = desk();
  const isSaid = stops('one');
  await settled();
  expect(said).toEqual([
    {
      what: 'Order one (po-7) needs an operator',
      why: 'step charge: The card was declined (card-declined), after 3 attempts, failing for 2 min',
      command: 'npx reeve resubmit one',
    },
  ]);
  expect(isSaid()).toBe(true);
});

test('further orders of the same cause are one line with their number, a minute later', async () => {
  const { stops, said, clock } = desk();
  stops('one');
  await clock.advance(10_000);
  const more = Array.from({ length: 400 }, (_, at) => stops(`more-${at}`));
  await clock.advance(49_999);
  expect(said).toHaveLength(1);
  expect(more.some((isSaid) => isSaid())).toBe(false);
  await clock.advance(1);
  expect(said.slice(1)).toEqual([
    {
      what: '400 more orders of sale need an operator',
      why: 'the same at step charge (card-declined)',
      command:
        'npx reeve resubmit --state Error --workflow sale --agent payment --since 2026-01-01T00:00:00.000Z',
    },
  ]);
  expect(more.every((isSaid) => isSaid())).toBe(true);
});

test('however many orders stop for how many causes, fewer than 500 wait to be shown, and each is counted once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 60 }), async (causes) => {
      const { stops, said, clock } = desk();
      const all = Array.from({ length: 1_700 }, (_, at) =>
        stops(`order-${at}`, { fault: { ...fault, code: `code-${at % causes}` } }),
      );
      await settled();
      expect(all.filter((isSaid) => !isSaid()).length).toBeLessThan(500);
      await clock.advance(60_000);
      expect(all.every((isSaid) => isSaid())).toBe(true);
      const counts = said.map(({ what }) => Number(/^([\d,]+) more/.exec(what)?.[1] ?? 1));
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(all.length);
    }),
    { numRuns: 10 },
  );
});

test('the alert of one order is shown while thousands stop for another cause', async () => {
  const shown: string[] = [];
  const grouping = alertGrouping({ show: ({ what }) => shown.push(what), clock: systemClock });
  onTestFinished(grouping.close);
  const agent = defineAgent({ name: 'pay', input: z.int(), output: z.null(), undo: 'unneeded' });
  const workflow = defineWorkflow({ name: 'shop', version: 1, details: z.int() })
    .step('pay', { agent, onFault: 'hold', input: ({ details }) => details })
    .build();
  const pay = implementAgent(agent, {
    async perform(number) {
      throw new PermanentFault(number === 0 ? 'rare' : 'often', 'No.', 'none');
    },
  });
  const reeve = await startLocalReeve({
    ...{ workflows: [workflow], agents: [pay], path: ':memory:' },
    onAlert: (alert) => grouping.alert(alert, 'npx reeve'),
  });
  onTestFinished(() => reeve.close());
  const submit = (number: number) => reeve.submit(workflow, number);
  const often = await Promise.all(Array.from({ length: 1_500 }, (_, at) => submit(at + 1)));
  await Promise.all(often.map((order) => order.result()));
  const rare = await submit(0);
  await expect.poll(() => shown).toContain(`Order ${rare.id} needs an operator`);
});

test('a continuing cause has one line per minute, and a cause that had ended is shown again', async () => {
  const { stops, said, clock } = desk();
  stops('one');
  await clock.advance(1_000);
  stops('two');
  await clock.advance(60_000);
  stops('three');
  stops('four');
  await clock.advance(60_000);
  expect(said.map(({ what }) => what)).toEqual([
    'Order one (po-7) needs an operator',
    'Order two (po-7) needs an operator',
    '2 more orders of sale need an operator',
  ]);
  await clock.advance(60_000);
  stops('five');
  await settled();
  expect(said.at(-1)?.what).toBe('Order five (po-7) needs an operator');
});

test.each<[string, Partial<Change>]>([
  ['another fault', { fault: { ...fault, code: 'no-funds' } }],
  ['another step', { fault: { ...fault, step: stepName('ship') } }],
  ['the undo of the step', { fault: { ...fault, action: 'undo' } }],
  ['another workflow', { workflow: workflowName('return') }],
])('%s is another cause', async (_, changes) => {
  const { stops, said } = desk();
  stops('one');
  stops('two', changes);
  await settled();
  expect(said).toHaveLength(2);
});

test('if no call stopped the orders, the command names no agent', async () => {
  const { stops, said, clock } = desk();
  const none = { fault: { ...fault, step: null, action: null }, tried: null } as const;
  for (const id of ['one', 'two', 'three']) stops(id, none);
  await clock.advance(60_000);
  expect(said[1]).toMatchObject({
    why: 'the same (card-declined)',
    command: expect.not.stringContaining('--agent'),
  });
});

test('alerts that are not shown at the close are not acknowledged, and are shown after the next start', async () => {
  const { stops, said, clock, close } = desk();
  stops('one');
  const isSaid = stops('two');
  close();
  await clock.advance(120_000);
  expect(said).toHaveLength(1);
  expect(isSaid()).toBe(false);
});

const call = {
  what: 'Order one needs an operator',
  why: 'step charge: \u001b[2Jno',
  command: 'npx reeve',
};
const plain =
  'Order one needs an operator: step charge:  [2Jno.\n  When the cause is fixed: npx reeve\n';

test('the output to a pipe has no escape sequences', () => {
  expect(terminalAlert(call, { env: {}, terminal: () => null })).toBe(plain);
  expect(terminalAlert(call, { env: { NO_COLOR: '1' }, terminal: () => ({}) })).toBe(plain);
});

test.each([{}, { NO_COLOR: '' }])('on a terminal with %j the order is highlighted', (env) => {
  const text = terminalAlert(call, { env, terminal: () => ({}) });
  expect(text).not.toBe(plain);
  expect(stripVTControlCharacters(text)).toBe(plain);
});

test('a service that is unavailable is one line on the terminal, and no command', () => {
  const event = { agent: 'payment', since: 0, held: 3 };
  const screen = { env: {}, terminal: () => null };
  expect(terminalCircuit({ ...event, kind: 'opened' }, screen)).toBe(
    'The service of payment is unavailable: orders wait for it without a failure, and continue by themselves.\n',
  );
  expect(terminalCircuit({ ...event, kind: 'closed' }, screen)).toBe(
    'The service of payment is available again; the orders that waited continue.\n',
  );
});
