/** A start on data with orders in Error whose definition does not run: they rest, and an operator learns what is missing. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { OrderId } from '#core/model/ids.ts';
import { implementAgent, PermanentFault } from '#ports/agent-implementation.ts';
import { shownWarnings } from '#runtime/command/terminal-warnings.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const second = 1_000;
const pay = defineAgent({ name: 'pay', input: z.int(), output: z.null(), undo: 'unneeded' });
const shop = (version: number, retries = 3) =>
  defineWorkflow({ name: 'shop', version, details: z.int() })
    .step('pay', { agent: pay, retries, onFault: 'hold', input: ({ details }) => details })
    .build();
const declining = implementAgent(pay, {
  async perform(amount) {
    if (amount < 0) throw new PermanentFault('declined', 'No.', 'none');
    return null;
  },
});

const inMemory = () => join(mkdtempSync(join(inject('temporaryFolder'), 'missing-')), 'reeve.db');

async function started(path: string, ...workflows: readonly ReturnType<typeof shop>[]) {
  const log = testLog();
  const clock = virtualClock();
  const reeve = await startLocalReeve({ workflows, agents: [declining], path, log, clock });
  onTestFinished(reeve.close);
  const warnings = () =>
    log.lines
      .filter(({ event }) => event === 'orders-without-definition')
      .map(({ fields }) => fields);
  const pass = async () => {
    for (let at = 0; at < 5; at += 1) await clock.advance(second);
  };
  return { reeve, log, pass, warnings };
}

/** Data with two orders of version 1 in Error, and one that was processed. */
async function stopped(): Promise<{ path: string; ids: readonly OrderId[] }> {
  const path = inMemory();
  const first = shop(1);
  const { reeve, pass, warnings } = await started(path, first);
  const ids: OrderId[] = [];
  for (const amount of [-1, -2, 3]) ids.push((await reeve.submit(first, amount)).id);
  await pass();
  reeve.close();
  expect(warnings()).toEqual([]);
  return { path, ids: ids.slice(0, 2) };
}

test('a start without the definition of orders in Error says which, and how many there are', async () => {
  const { path, ids } = await stopped();
  const { warnings, pass } = await started(path, shop(2));
  await pass();
  const orderId = expect.toBeOneOf([...ids]);
  const of = { workflow: 'shop', version: 1, orders: 2, orderId };
  expect(warnings()).toEqual([{ ...of, isChanged: false }]);
});

test('a definition that was changed under its version is missing, too', async () => {
  const { path } = await stopped();
  const { reeve, warnings, pass } = await started(path, shop(1, 7));
  await pass();
  expect(warnings()).toMatchObject([{ version: 1, orders: 2, isChanged: true }]);
  reeve.close();
  const again = await started(path, shop(1), shop(2));
  await again.pass();
  expect(again.warnings()).toEqual([]);
});

test('the terminal says what to do, and the log has the event at level info', () => {
  const lines: string[] = [];
  const note = (level: string) => (event: string) => void lines.push(`${level} ${event}`);
  const log = { info: note('info'), warn: note('warn'), error: note('error') };
  const shown = shownWarnings(log, (text) => void lines.push(text));
  const of = { workflow: 'shop', version: 1, orderId: 'one' };
  shown.error('orders-without-definition', { ...of, orders: 2, isChanged: false });
  shown.error('orders-without-definition', { ...of, orders: 1, isChanged: true });
  shown.error('sweep-failed', { error: 'x' });
  expect(lines).toEqual([
    '2 orders, such as one, in Error cannot go on: shop@1 is not among the workflows that run.\n  Before you resubmit or cancel one, start with this definition as it was, and a changed workflow beside it with the next version.\n',
    'info orders-without-definition',
    'Order one in Error cannot go on: shop@1 was changed under the same version.\n  Before you resubmit or cancel it, start with this definition as it was, and a changed workflow beside it with the next version.\n',
    'info orders-without-definition',
    'error sweep-failed',
  ]);
});
