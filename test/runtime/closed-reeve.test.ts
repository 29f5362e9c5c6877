/** What `close` leaves of calls in flight. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { implementAgent } from '#ports/agent-implementation.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';
import { within } from '../support/within.ts';

const payment = defineAgent({
  name: 'payment',
  input: z.null(),
  output: z.string(),
  undo: 'unneeded',
});
const shop = defineWorkflow({ name: 'shop', version: 1, details: z.null() })
  .step('charge', { agent: payment, completeWithin: 600_000, input: () => null })
  .build();

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'reeve-close-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

test('a call that the close aborts is made again by the next start, with its key and without a failure', async () => {
  const path = join(folder(), 'reeve.db');
  const keys: string[] = [];
  const log = testLog();
  const begun = Promise.withResolvers<AbortSignal>();
  const first = await startLocalReeve({
    workflows: [shop],
    agents: [
      implementAgent(payment, {
        async perform(_, { signal, idempotencyKey }) {
          keys.push(idempotencyKey);
          begun.resolve(signal);
          await once(signal, 'abort');
          throw signal.reason;
        },
      }),
    ],
    ...{ path, log },
  });
  const { id } = await first.submit(shop, null);
  const signal = await begun.promise;
  first.close();
  expect(signal.aborted).toBe(true);
  const next = await startLocalReeve({
    workflows: [shop],
    agents: [
      implementAgent(payment, {
        async perform(_, { idempotencyKey }) {
          keys.push(idempotencyKey);
          return 'charged';
        },
      }),
    ],
    ...{ path, log },
  });
  onTestFinished(() => next.close());
  expect(await next.order(shop, id).result()).toMatchObject({ state: 'Processed' });
  expect(new Set(keys).size).toBe(1);
  const record = (await next.store.records([id])).get(id);
  expect(record).toMatchObject({ failureCount: 0 });
  const usual = ['started', 'recovered'];
  expect(log.lines.filter(({ event }) => !usual.includes(event))).toEqual([]);
});

test('a process whose agent waits for a service that hangs ends after the close', async () => {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  const code = `
    import { defineAgent, defineWorkflow, implementAgent } from 'reeve';
    import { startLocalReeve } from 'reeve/local';
    import * as z from 'zod';
    const payment = defineAgent({ name: 'payment', input: z.null(), output: z.string(), undo: 'unneeded' });
    const shop = defineWorkflow({ name: 'shop', version: 1, details: z.null() })
      .step('charge', { agent: payment, completeWithin: 600_000, input: () => null })
      .build();
    const begun = Promise.withResolvers();
    const reeve = await startLocalReeve({
      workflows: [shop],
      agents: [implementAgent(payment, {
        async perform(_, { signal }) {
          const answer = fetch('http://127.0.0.1:${port}', { signal });
          begun.resolve();
          return (await answer).text();
        },
      })],
      path: ${JSON.stringify(join(folder(), 'reeve.db'))},
    });
    await reeve.submit(shop, null);
    await begun.promise;
    reeve.close();
  `;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // Far above the usual time; without the abort it is the ten minutes of the step.
  const ended = once(child, 'close').then(([exitCode]) => exitCode);
  expect(await within(30_000, ended)).toBe(0);
  expect(stderr.replace(/^.*(ExperimentalWarning|trace-warnings).*\n/gm, '')).toBe('');
});
