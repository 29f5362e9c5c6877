/** The process of `reeve start` and `reeve dev`, in this one: what it says. */
import { mkdtempSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { implementAgent, PermanentFault } from '#ports/agent-implementation.ts';
import { type Serve, startCommand } from '#runtime/command/start-command.ts';

const object = z.object({});
const pay = defineAgent({ name: 'pay', input: object, output: object, undo: 'unneeded' });
const sale = (name: string, details: z.ZodType<Readonly<Record<string, string>>>) =>
  defineWorkflow({ name, version: 1, details })
    .step('charge', { agent: pay, input: () => ({}), onFault: 'hold' })
    .build();
const shop = sale('shop', object);
const declining = implementAgent(pay, {
  async perform() {
    throw new PermanentFault('declined', 'No.', 'none');
  },
});
const schemaThatThrows = z.object({ card: z.string() }).refine(({ card }) => {
  throw new RangeError(`no card ${card}`);
});
const schemaThatWaits = z.object({ card: z.string() }).refine(async () => true);
const workflows = [shop, sale('careless', schemaThatThrows), sale('patient', schemaThatWaits)];
const serve: Serve = async () => ({
  ...{ workflows, agents: [declining], isDevelopment: true },
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
      await vi.waitFor(() => expect(stdout).toMatch(/listens on/), 100_000);
      return /http:\S+/.exec(stdout)?.[0] ?? '';
    },
  };
}

const post = (url: string, body: unknown) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
    body: JSON.stringify(body),
  });

test('an alert names the port on which Reeve listens, also where it took any free one', async () => {
  const reeve = starting({ PORT: '0', REEVE_LOG: 'info' });
  const url = await reeve.url();
  const response = await post(`${url}/orders`, { workflow: 'shop', details: {} });
  const { orderId } = z.object({ orderId: z.string() }).parse(await response.json());
  const remedy = `npx reeve --url ${url} resubmit ${orderId}`;
  await vi.waitFor(() => expect(reeve.stdout()).toContain(remedy), 100_000);
  expect(reeve.stderr()).toContain(remedy);
  expect(reeve.stdout()).toContain(`Submit with npx reeve --url ${url} submit\n`);
});

test.each([
  ['careless', 'threw RangeError. Correct the function in it that throws'],
  [
    'patient',
    'validates asynchronously, and submissions do not wait. Take the async functions out',
  ],
])('the log names the workflow %s, whose schema %s', async (workflow, what) => {
  const reeve = starting({ PORT: '0' });
  const url = await reeve.url();
  const response = await post(`${url}/orders`, { workflow, details: { card: '4711' } });
  expect(response.status).toBe(500);
  const said = `The schema of the details of workflow ${workflow}@1 ${what}`;
  await vi.waitFor(() => expect(reeve.stderr()).toContain(said), 100_000);
  expect(reeve.stderr()).not.toContain('4711');
});

test('a data directory that cannot be looked at refuses the start with its reason', async () => {
  const loop = join(mkdtempSync(join(inject('temporaryFolder'), 'loop-')), 'loop');
  symlinkSync(loop, loop);
  const reeve = starting({ REEVE_DATA: loop });
  expect(await reeve.ended).toBe(2);
  expect(reeve.stderr()).toContain(
    `Cannot look for the folder ${loop}: its path has too many links.`,
  );
});
