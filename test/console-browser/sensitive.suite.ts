/** No page shows a value that a workflow marks as sensitive, with all parts opened. */
import { expect, test } from 'vitest';
import { stage } from './pages.ts';

const on = stage();
/** Of the orders of this world: token, name and street. */
const secrets = ['tok_4f2a', 'Lindenweg 4'];

test('the page of an order marks redacted values, and does not show them', async () => {
  const orderId = await on.world.submit('order-fulfilment');
  const page = await on.open(`#/orders/${orderId}`);
  await page.getByText('Processed', { exact: true }).first().waitFor();
  for (const summary of await page.locator('details > summary').all()) await summary.click();
  await page.locator('.redacted').first().waitFor();
  const html = await page.content();
  expect(html).toContain('order-fulfilment');
  expect(secrets.filter((secret) => html.includes(secret))).toEqual([]);
});

test('nor do the pages of orders, activity, agents and workflows', async () => {
  await on.world.submit('order-fulfilment');
  for (const hash of ['#/', '#/orders', '#/agents', '#/workflows']) {
    const page = await on.open(hash);
    await page.locator('.live[data-connection="live"]').waitFor();
    const html = await page.content();
    expect(secrets.filter((secret) => html.includes(secret))).toEqual([]);
  }
});
