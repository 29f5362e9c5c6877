/** Errors of the application's own code are seen: where one develops with their messages, elsewhere without. */
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { orderId, stepName } from '#core/model/ids.ts';
import { implementAgent, PermanentFault } from '#ports/agent-implementation.ts';
import { ownOrders } from '#runtime/command/own-orders.ts';
import { startCommand } from '#runtime/command/start-command.ts';
import type { CodeError } from '#runtime/local/errors/code-error.ts';
import { errorKinds } from '#runtime/local/errors/error-kinds.ts';
import { workflowErrors } from '#runtime/local/errors/workflow-errors.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';
import { newOrder } from '../support/orders.ts';

const object = z.object({});
const pay = defineAgent({ name: 'pay', input: object, output: object, undo: 'unneeded' });
const shop = defineWorkflow({ name: 'shop', version: 1, details: z.object({ secret: z.string() }) })
  .step('charge', { agent: pay, input: () => ({}) })
  .build();
const careless = defineWorkflow({ name: 'careless', version: 1, details: z.object({}) })
  .step('charge', {
    agent: pay,
    input: () => {
      throw new RangeError('no such article');
    },
  })
  .build();

const buggy = implementAgent(pay, {
  async perform() {
    throw new TypeError('oops is not a function');
  },
});

async function started(onCodeError: (error: CodeError) => void, agent = buggy) {
  const log = testLog();
  const reeve = await startLocalReeve({
    ...{ workflows: [shop, careless], agents: [agent], path: ':memory:', log, onCodeError },
  });
  onTestFinished(reeve.close);
  return { reeve, log };
}

test('onCodeError gets each error of an agent, with the order, the step and the error itself', async () => {
  const first = Promise.withResolvers<CodeError>();
  const { reeve } = await started(first.resolve);
  const order = await reeve.submit(shop, { secret: 'x' });
  const { error, ...about } = await first.promise;
  expect(about).toEqual({
    ...{ workflow: 'shop', step: 'charge', source: 'perform', agent: 'pay', orderId: order.id },
  });
  expect(error).toEqual(new TypeError('oops is not a function'));
});

test('and each of a function of a workflow, whose order stops in Error as before', async () => {
  const first = Promise.withResolvers<CodeError>();
  const { reeve } = await started(first.resolve);
  const order = await reeve.submit(careless, {});
  expect(await order.result()).toMatchObject({ state: 'Error', fault: { code: 'workflow-code' } });
  expect(await first.promise).toEqual({
    ...{ workflow: 'careless', step: 'charge', source: 'input', agent: null, orderId: order.id },
    error: new RangeError('no such article'),
  });
});

test('an input that a view asks for before it can be known is no error', async () => {
  const errors: CodeError[] = [];
  const chain = defineWorkflow({ name: 'chain', version: 1, details: z.object({}) })
    .step('first', { agent: pay, input: () => ({}) })
    .step('second', {
      agent: pay,
      after: ['first'],
      input: ({ outputs: { first } }) => {
        first.valueOf();
        return {};
      },
    })
    .build();
  const done = implementAgent(pay, { perform: async () => ({}) });
  const reeve = await startLocalReeve({
    ...{ workflows: [chain], agents: [done], path: ':memory:', log: testLog() },
    onCodeError: (error) => errors.push(error),
  });
  onTestFinished(reeve.close);
  const order = await reeve.submit(chain, {});
  await order.read();
  expect((await order.result()).state).toBe('Processed');
  expect(errors).toEqual([]);
});

test('a permanent fault is an answer, and no error', async () => {
  const errors: CodeError[] = [];
  const refusing = implementAgent(pay, {
    async perform() {
      throw new PermanentFault('declined', 'No.', 'none');
    },
  });
  const { reeve } = await started((error) => errors.push(error), refusing);
  await (await reeve.submit(shop, { secret: 'x' })).result();
  expect(errors).toEqual([]);
});

test('a listener that throws is logged, and the call is repeated all the same', async () => {
  let calls = 0;
  const second = Promise.withResolvers<void>();
  const agent = implementAgent(pay, {
    async perform() {
      calls += 1;
      if (calls > 1) second.resolve();
      throw new Error('oops');
    },
  });
  const { reeve, log } = await started(() => {
    throw new RangeError('of the listener');
  }, agent);
  await reeve.submit(shop, { secret: 'x' });
  await second.promise;
  const events = log.lines.map(({ event }) => event);
  expect(events).toContain('listener-failed');
  expect(events).not.toContain('reply-failed');
});

const thrown = (more: Partial<CodeError> = {}): CodeError => ({
  ...{ workflow: 'shop', step: 'charge', source: 'perform', agent: 'pay', orderId: 'o' },
  error: new TypeError('card 4711 is refused'),
  ...more,
});

test('without a message, each kind of error is said once, and the first line says how to see more', () => {
  const lines: string[] = [];
  const onError = errorKinds((line) => lines.push(line));
  const withCode = Object.assign(new Error('card 4711'), { code: 'ECONNREFUSED' });
  for (const error of [thrown(), thrown(), thrown({ error: withCode }), thrown({ error: 'text' })])
    onError(error);
  expect(lines).toEqual([
    expect.stringMatching(
      /^Reeve: the perform of agent pay in step charge failed with TypeError; the call is repeated until .*`onCodeError`/,
    ),
    expect.stringMatching(/failed with Error ECONNREFUSED; .*step\.\n$/),
    expect.stringMatching(/failed with unknown; /),
  ]);
  expect(lines.join('')).not.toContain('4711');
});

test('however many kinds of errors there are, a bounded number of lines is said', () => {
  const lines: string[] = [];
  const onError = errorKinds((line) => lines.push(line));
  for (let number = 0; number < 1_000; number += 1)
    onError(thrown({ error: Object.assign(new Error('no'), { code: `E${number}` }) }));
  expect(lines).toHaveLength(100);
});

test('of errors that have stopped no order yet, the latest thousand are kept', () => {
  const reported: string[] = [];
  const { noting, onRecord } = workflowErrors(({ orderId }) => reported.push(orderId));
  const [charge] = noting(careless).steps;
  const { record } = newOrder('one', 0);
  const ids = Array.from({ length: 1_002 }, (_, number) => orderId(`order-${number}`));
  for (const id of ids)
    expect(() => charge?.input({ orderId: id, details: {}, outputs: {} })).toThrow(RangeError);
  const fault = { code: 'workflow-code', message: 'no', effect: 'none', action: null } as const;
  for (const id of ids)
    onRecord({ ...record, orderId: id, fault: { ...fault, step: stepName('charge') } });
  expect(reported).toEqual(ids.slice(2));
});

/** A module of a user whose agent has a mistake. */
function moduleWith(rest: string): string {
  const file = join(mkdtempSync(join(inject('temporaryFolder'), 'errors-')), 'hello.ts');
  writeFileSync(
    file,
    `import * as z from '${resolve('node_modules/zod/index.js')}';
import { defineAgent } from '${resolve('lib/core/definition/agent.ts')}';
import { defineWorkflow } from '${resolve('lib/core/definition/workflow.ts')}';
import { implementAgent } from '${resolve('lib/ports/agent-implementation.ts')}';
import { startLocalReeve } from '${resolve('lib/runtime/local/local-reeve.ts')}';
const pay = defineAgent({ name: 'pay', input: z.object({}), output: z.object({}), undo: 'unneeded' });
export const agent = implementAgent(pay, { perform: async () => { throw new TypeError('oops is not a function'); } });
export const shop = defineWorkflow({ name: 'shop', version: 1, details: z.object({}) })
  .step('charge', { agent: pay, input: () => ({}) })
  .build();
${rest}`,
  );
  return file;
}

test('a program that says nothing of errors shows the first one on standard error at once', async () => {
  const child = spawn(
    'node',
    [
      moduleWith(`const reeve = await startLocalReeve({ workflows: [shop], agents: [agent], path: ':memory:' });
await reeve.submit(shop, {});
`),
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  child.stderr.once('data', () => child.kill());
  const said = await text(child.stderr);
  expect(said).toMatch(
    /^Reeve: the perform of agent pay in step charge failed with TypeError; .*onCodeError/,
  );
  expect(said).not.toContain('oops');
});

test('`reeve dev` shows the error with its message and the line of the module', async () => {
  const data = mkdtempSync(join(inject('temporaryFolder'), 'dev-'));
  let said = '';
  const stop = Promise.withResolvers<void>();
  const ended = startCommand(
    {
      env: { REEVE_DATA: data, PORT: '0' },
      terminal: () => null,
      stdout: (line) => {
        said += line;
      },
      stderr: () => {},
      stopped: stop.promise,
    },
    ownOrders(moduleWith(''), () => {}),
  );
  await vi.waitFor(() => expect(said).toMatch(/listens on/), 100_000);
  const [url] = /http:\S+/.exec(said) ?? [''];
  await fetch(`${url}/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': 'one' },
    body: JSON.stringify({ workflow: 'shop', details: {} }),
  });
  await vi.waitFor(
    () =>
      expect(said).toMatch(
        /The perform of agent pay in step charge failed: TypeError: oops is not a function\n {4}at .*hello\.ts:7:/,
      ),
    20_000,
  );
  stop.resolve();
  expect(await ended).toBe(0);
});
