/** A test runs several orders at the same time, advances the time meanwhile, or has fake timers of its own. */
import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { scriptedAgent } from '#testing/kit/scripted-agent.ts';
import { testClock } from '#testing/kit/test-clock.ts';
import { type TestReeveOptions, testReeve } from '#testing/kit/test-reeve.ts';

const nothing = z.object({});
const pay = defineAgent({ name: 'pay', input: nothing, output: nothing, undo: 'offered' });
const send = defineAgent({ name: 'send', input: nothing, output: nothing, undo: 'offered' });
const policy = { input: () => ({}), completeWithin: 5_000, retries: 3 };
const shop = defineWorkflow({ name: 'shop', version: 1, details: nothing })
  .step('charge', { ...policy, agent: pay })
  .step('deliver', { ...policy, agent: send, after: ['charge'] })
  .build();

async function shopInTest() {
  const [charge, deliver] = [scriptedAgent(pay, {}), scriptedAgent(send, {})];
  const reeve = await testReeve({ workflows: [shop], agents: [charge, deliver] });
  return { charge, deliver, reeve };
}

test('a process that ends while two orders are run is started once, and both go on', async () => {
  const { charge, deliver, reeve } = await shopInTest();
  await using _ = reeve;
  charge.isSlow(2_000);
  charge.isSlow(2_000);
  deliver.crashesAfterEffect();
  const orders = [await reeve.submit(shop, {}), await reeve.submit(shop, {})];
  const results = await Promise.all(orders.map((order) => reeve.run(order)));
  expect(results.map(({ state }) => state)).toEqual(['Processed', 'Processed']);
  expect(deliver.effects.size).toBe(2);
});

test('a killed process is restarted once, by the test or by the orders that it runs', async () => {
  const { charge, reeve } = await shopInTest();
  await using _ = reeve;
  charge.isSlow(2_000);
  const order = await reeve.submit(shop, {});
  await reeve.kill();
  const [, result] = await Promise.all([reeve.restart(), reeve.run(order), reeve.run(order)]);
  expect(result.state).toBe('Processed');
});

test('a short advance that ends while a longer one goes on does not set the time back', async () => {
  const clock = testClock(0);
  await Promise.all([clock.advance(10_000), clock.advance(2_000)]);
  expect(clock.now()).toBe(10_000);
  const { charge, reeve } = await shopInTest();
  await using _ = reeve;
  charge.isSlow(4_000);
  const begin = reeve.now();
  const order = await reeve.submit(shop, {});
  await Promise.all([reeve.run(order), reeve.advance(60_000), reeve.advance(1)]);
  expect(reeve.now() - begin).toBe(60_000);
});

test.each(['before', 'after'] as const)(
  'fake timers of a test that begin %s the start stop nothing',
  async (when) => {
    onTestFinished(() => void vi.useRealTimers());
    if (when === 'before') vi.useFakeTimers();
    const { reeve } = await shopInTest();
    await using _ = reeve;
    if (when === 'after') vi.useFakeTimers();
    expect((await reeve.run(await reeve.submit(shop, {}))).state).toBe('Processed');
  },
);

test('a Reeve without agents is refused as such, and leaves no folder', async () => {
  const folder = mkdtempSync(join(inject('temporaryFolder'), 'kit-'));
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => void vi.unstubAllEnvs());
  // @ts-expect-error as a program without types may do
  const options: TestReeveOptions = { workflows: [shop] };
  await expect(testReeve(options)).rejects.toMatchObject({ code: 'options-invalid' });
  expect(readdirSync(folder)).toEqual([]);
});
