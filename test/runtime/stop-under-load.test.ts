/** A stop while messages are processed: a write that is no longer possible is no error. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';

const cook = defineAgent({ name: 'cook', input: z.null(), output: z.null(), undo: 'unneeded' });
const dinner = defineWorkflow({
  name: 'dinner',
  version: 1,
  details: z.record(z.string(), z.json()),
})
  .step('starter', { agent: cook, input: () => null })
  .step('main', { agent: cook, after: ['starter'], input: () => null })
  .build();

const request = {
  workflow: 'dinner',
  details: {},
  priority: 'normal',
  tenant: null,
  replyTo: null,
  correlationId: null,
  key: null,
} as const;

/** A Reeve that is closed so many turns of the microtask queue after an order was stored; returns its log. */
async function closedAfter(turns: number): Promise<readonly string[]> {
  const lines: string[] = [];
  const note = (level: string) => (event: string) => {
    lines.push(`${level} ${event}`);
  };
  const reeve = await startLocalReeve({
    workflows: [dinner],
    agents: [{ contract: cook, perform: async () => null }],
    path: ':memory:',
    clock: systemClock,
    random: systemRandom,
    log: { info: note('info'), warn: note('warn'), error: note('error') },
  });
  const stored = Promise.withResolvers<void>();
  reeve.watch(() => stored.resolve());
  const accepted = reeve.submission.submit(request, 'ada');
  await stored.promise;
  for (let turn = 0; turn < turns; turn += 1) await null;
  reeve.close();
  await accepted;
  // The claim fails at its commit and is then logged.
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  return lines;
}

test('messages in progress when the store is closed are logged at level info', async () => {
  // Closes at every point between the nudge and the commit of its claim.
  const logs = await Promise.all(Array.from({ length: 40 }, (_, turns) => closedAfter(turns)));
  const lines = logs.flat();
  expect(lines).toContain('info message-failed');
  expect(lines.filter((line) => !line.startsWith('info '))).toEqual([]);
});
