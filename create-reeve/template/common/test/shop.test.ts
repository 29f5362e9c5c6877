import { scriptedAgent, testReeve } from 'reeve/testing';
import { expect, test } from 'vitest';
import { payment, shop, stock } from '../src/workflow.ts';

test('an order reserves its article and is charged', async () => {
  const reserve = scriptedAgent(stock, { shelf: '3' });
  const charge = scriptedAgent(payment, { chargeId: 'c' });
  await using reeve = await testReeve({ workflows: [shop], agents: [reserve, charge] });
  const order = await reeve.submit(shop, { article: 'teapot', cents: 2_490 });
  expect(await reeve.run(order)).toMatchObject({
    state: 'Processed',
    outputs: { charge: { chargeId: 'c' } },
  });
});

test('a declined card releases the article', async () => {
  const reserve = scriptedAgent(stock, { shelf: '3' });
  const charge = scriptedAgent(payment, { chargeId: 'c' });
  await using reeve = await testReeve({ workflows: [shop], agents: [reserve, charge] });
  charge.fails('declined');
  const order = await reeve.submit(shop, { article: 'teapot', cents: 2_490 });
  expect((await reeve.run(order)).state).toBe('Undone');
  expect(reserve.calls.map(({ action }) => action)).toEqual(['perform', 'undo']);
});
