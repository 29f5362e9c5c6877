/** The process of `reeve start` and `reeve dev`, in this one: what it says. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { implementAgent, PermanentFault } from '#ports/agent-implementation.ts';
import { type Serve, startCommand } from '#runtime/command/start-command.ts';

const object = z.object({});
const pay = defineAgent({ name: 'pay', input: object, output: object, undo: 'unneeded' });
const shop = defineWorkflow({ name: 'shop', version: 1, details: object })
  .step('charge', { agent: pay, input: () => ({}), onFault: 'hold' })
  .build();
const declining = implementAgent(pay, {
  async perform() {
    throw new PermanentFault('declined', 'No.', 'none');
  },
});
const serve: Serve = async () => ({
  ...{ workflows: [shop], agents: [declining], isDevelopment: true },
  welcome: (command) => `Submit with ${command}submit\n`,
});

function starting(env: Readonly<Record<string, string>>) {
  let [stdout, stderr] = ['', ''];
  const stop = Promise.withResolvers<void>();
  const ended = startCommand(
    {
      env: { REEVE_DATA: mkdtempSync(join(inject('temporaryFolder'), 'start-')), ...env },
      terminal: () => null,
      stdout: (text) => {
        stdout += text;
      },
      stderr: (text) => {
        stderr += text;
      },
      stopped: stop.promise,
    },
    serve,
  );
  onTestFinished(async () => {
    stop.resolve();
    await ended;
  });
  return {
    ended,
    stdout: () => stdout,
    stderr: () => stderr,
    stop: stop.resolve,
    url: async () => {
      await vi.waitFor(() => expect(stdout).toMatch(/listens on/), 20_000);
      return /http:\S+/.exec(stdout)?.[0] ?? '';
    },
  };
}

async function submitted(url: string, key: string): Promise<string> {
  const response = await fetch(`${url}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ workflow: 'shop', details: {} }),
  });
  return z.object({ orderId: z.string() }).parse(await response.json()).orderId;
}

test('an alert names the port on which Reeve listens, also where it took any free one', async () => {
  const reeve = starting({ PORT: '0', REEVE_LOG: 'info' });
  const url = await reeve.url();
  const orderId = await submitted(url, 'one');
  const remedy = `npx reeve --url ${url} resubmit ${orderId}`;
  await vi.waitFor(() => expect(reeve.stdout()).toContain(remedy), 20_000);
  expect(reeve.stderr()).toContain(remedy);
  expect(reeve.stdout()).toContain(`Submit with npx reeve --url ${url} submit\n`);
});
