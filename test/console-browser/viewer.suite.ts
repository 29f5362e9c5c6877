/** A viewer sees everything, and no action that the API would refuse. */
import { expect, test } from 'vitest';
import { stage } from './pages.ts';

const token = 'a-token-of-some-length';
const on = stage({ token, role: 'viewer' });

test('a viewer sees its name, and neither Resubmit nor Cancel, for one order and for many', async () => {
  await on.world.faults('payment', { declineRate: 1 });
  const orderId = await on.world.submit('express');
  await on.world.reaches(orderId, 'Error');
  const page = await on.open(`#/orders/${orderId}`);
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.keyboard.press('Enter');
  await page.locator('.who').getByText('olga').waitFor();
  await page.getByText('Submitted by ada.').waitFor();
  expect(await page.getByRole('button', { name: /Resubmit|Cancel/ }).count()).toBe(0);
  await page.goto(`${on.world.url}/#/orders`);
  await page.getByLabel(`Select order ${orderId}`).check();
  await page.getByText('1 selected').waitFor();
  expect(await page.getByRole('button', { name: /Resubmit|Cancel/ }).count()).toBe(0);
});
