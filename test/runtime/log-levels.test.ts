/** The level of what an embedded Reeve logs: an operator reads the errors, and each of them once. */
import { StatementSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { implementAgent, PermanentFault, TransientFault } from '#ports/agent-implementation.ts';
import type { Log } from '#ports/log.ts';
import { type LocalReeveOptions, startLocalReeve } from '#runtime/local/local-reeve.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const second = 1_000;
const pay = defineAgent({ name: 'pay', input: z.int(), output: z.null(), undo: 'unneeded' });
const shop = defineWorkflow({ name: 'shop', version: 1, details: z.int() })
  .step('pay', {
    agent: pay,
    completeWithin: 2 * second,
    onFault: 'hold',
    input: ({ details }) => details,
  })
  .build();

async function started(perform: () => Promise<null>, options: Partial<LocalReeveOptions> = {}) {
  const lines: string[] = [];
  const note = (level: string) => (event: string) => void lines.push(`${level} ${event}`);
  const log: Log = { info: note('info'), warn: note('warn'), error: note('error') };
  const clock = virtualClock();
  const reeve = await startLocalReeve({
    ...{ workflows: [shop], agents: [implementAgent(pay, { perform })] },
    ...{ path: ':memory:', log, clock, ...options },
  });
  onTestFinished(reeve.close);
  return {
    reeve,
    clock,
    lines,
    of: (event: string) => lines.filter((line) => line.endsWith(event)),
  };
}

const declined = async () => {
  throw new PermanentFault('declined', 'No.', 'none');
};

test('an order in Error is an error of the log', async () => {
  const { reeve, clock, of } = await started(declined);
  await reeve.submit(shop, 5);
  await clock.advance(second);
  expect(of('order-in-error')).toEqual(['error order-in-error']);
});

test('an order in Error whose alert an operator receives is information in the log', async () => {
  const { reeve, clock, of } = await started(declined, { onAlert: async () => {} });
  await reeve.submit(shop, 5);
  await clock.advance(second);
  expect(of('order-in-error')).toEqual(['info order-in-error']);
});

test('a circuit that opens is an error of the log, and information when it has closed', async () => {
  let isDown = true;
  const { reeve, clock, of } = await started(async () => {
    if (isDown) throw new TransientFault('http-503', 'It is down.');
    return null;
  });
  for (let order = 0; order < 30; order += 1) await reeve.submit(shop, order);
  for (let at = 0; at < 10; at += 1) await clock.advance(second);
  expect(of('circuit-opened')).toEqual(['error circuit-opened']);
  isDown = false;
  for (let at = 0; at < 60; at += 1) await clock.advance(second);
  expect(of('circuit-closed')).toEqual(['info circuit-closed']);
});

const run = StatementSync.prototype.run;
/** From now on, the disk refuses every commit with this code of SQLite. */
function refusing(errcode: number): void {
  vi.spyOn(StatementSync.prototype, 'run').mockImplementation(function (
    this: StatementSync,
    ...values
  ) {
    if (this.sourceSQL === 'COMMIT') throw Object.assign(new Error('refused'), { errcode });
    return run.apply(this, values);
  });
}

test.each([
  ['is full', 13, 'store-full'],
  ['is read-only', 8, 'store-unavailable'],
  ['fails', 10, 'store-unavailable'],
])(
  'a disk that %s for good is one error of the log, and what fails because of it is information',
  async (_, errcode, event) => {
    onTestFinished(() => void vi.restoreAllMocks());
    const { reeve, clock, lines } = await started(async () => null);
    await reeve.submit(shop, 5);
    refusing(errcode);
    await expect(reeve.submit(shop, 6)).rejects.toMatchObject({ code: event });
    for (let at = 0; at < 120; at += 1) await clock.advance(second);
    const errors = lines.filter((line) => line.startsWith('error'));
    expect(errors).toEqual([`error ${event}`]);
    expect(reeve.refusal()).toBe(event);
    const consequences = new Set(lines.filter((line) => line.endsWith('-failed')));
    expect(consequences).toContain('info message-failed');
    expect(consequences).toContain('info recovery-failed');
    vi.restoreAllMocks();
    for (let at = 0; at < 10; at += 1) await clock.advance(second);
    expect(lines.filter((line) => line.startsWith('error'))).toEqual([
      ...errors,
      'error store-writable',
    ]);
  },
);
