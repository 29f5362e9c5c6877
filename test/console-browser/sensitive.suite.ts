/** What a workflow marks as sensitive shows on no page, whatever is opened on it. */
import { expect, test } from 'vitest';
import { stage } from './pages.ts';

const on = stage();
/** Of the orders of this world: token, name and street. */
const secrets = ['tok_4f2a', 'Lindenweg 4'];

test('a page of an order says that something was left out, and not what', async () => {
  const orderId = await on.world.submit('order-fulfilment');
  const page = await on.open(`#/orders/${orderId}`);
  await page.getByText('Processed', { exact: true }).first().waitFor();
  for (const summary of await page.locator('details > summary').all()) await summary.click();
  await page.locator('.redacted').first().waitFor();
  const html = await page.content();
  expect(html).toContain('order-fulfilment');
  expect(secrets.filter((secret) => html.includes(secret))).toEqual([]);
});

test('nor do the pages of all orders, of now, of agents and workflows', async () => {
  await on.world.submit('order-fulfilment');
  for (const hash of ['#/', '#/orders', '#/agents', '#/workflows']) {
    const page = await on.open(hash);
    await page.locator('.live[data-connection="live"]').waitFor();
    const html = await page.content();
    expect(secrets.filter((secret) => html.includes(secret))).toEqual([]);
  }
});
