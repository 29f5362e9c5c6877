/** A stop while messages are worked on: what can no longer be written is no error. */
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

/** More orders than one batch of messages has (256): at the last call, the next batch waits for its commit. */
const orders = 300;
const lastCall = 258;

test('messages that are being worked on when the store is closed are logged at level info', async () => {
  const lines: string[] = [];
  const failed = Promise.withResolvers<void>();
  const note = (level: string) => (event: string) => {
    lines.push(`${level} ${event}`);
    if (event === 'message-failed') failed.resolve();
  };
  let calls = 0;
  const reeve = await startLocalReeve({
    workflows: [dinner],
    agents: [
      {
        contract: cook,
        async perform() {
          calls += 1;
          if (calls === lastCall) queueMicrotask(reeve.close);
          return null;
        },
      },
    ],
    path: ':memory:',
    clock: systemClock,
    random: systemRandom,
    breakerFor: () => ({ run: (call) => call() }),
    log: { info: note('info'), warn: note('warn'), error: note('error') },
  });
  await Promise.all(Array.from({ length: orders }, () => reeve.submission.submit(request, 'ada')));
  await failed.promise;
  expect(lines).toContain('info message-failed');
  expect(lines.filter((line) => !line.startsWith('info '))).toEqual([]);
});
