/** A Reeve that requires a token: the page asks for it, keeps it for the tab, and asks again when it is wrong. */
import { expect, test } from 'vitest';
import { stage } from './pages.ts';

const token = 'a-token-of-some-length';
const on = stage({ token });

test('the page asks for the token, refuses a wrong one, and continues with the right one', async () => {
  const orderId = await on.world.submit('order-fulfilment');
  const page = await on.open('#/orders');
  const dialog = page.getByRole('dialog', { name: 'This Reeve needs a token' });
  const field = dialog.getByLabel('Token', { exact: true });
  await field.fill('a-wrong-one');
  await page.keyboard.press('Enter');
  await dialog.getByText('The token was refused.').waitFor();
  await field.fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: orderId }).waitFor();
  await page.locator('.live[data-connection="live"]').waitFor();
  await dialog.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('link', { name: orderId }).waitFor();
  expect(await dialog.count()).toBe(0);
});

test('the dialog stays however often Escape is pressed, with what was typed', async () => {
  const page = await on.open('#/orders');
  const dialog = page.getByRole('dialog', { name: 'This Reeve needs a token' });
  const field = dialog.getByLabel('Token', { exact: true });
  await field.fill('half of a tok');
  for (let pressed = 0; pressed < 4; pressed += 1) await page.keyboard.press('Escape');
  await dialog.waitFor();
  expect(await page.locator('dialog:modal').count()).toBe(1);
  expect(await field.inputValue()).toBe('half of a tok');
});

test('a browser that blocks storage shows the page, and the page keeps the token and the theme until it is reloaded', async () => {
  const orderId = await on.world.submit('order-fulfilment');
  const page = await on.open();
  await page.addInitScript(() => {
    for (const name of ['localStorage', 'sessionStorage']) {
      const get = () => {
        throw new DOMException('Access is denied for this document.', 'SecurityError');
      };
      Object.defineProperty(globalThis, name, { get });
    }
  });
  await page.goto(`${on.world.url}/#/orders`);
  await page.reload();
  await page.getByLabel('Token', { exact: true }).fill(token);
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: orderId }).waitFor();
  const theme = () => page.locator('html').getAttribute('data-theme');
  const before = await theme();
  await page.getByRole('button', { name: /^Use (light|dark) colours$/ }).click();
  expect(await theme()).not.toBe(before);
});

test('without the token only the page itself is served', async () => {
  const status = async (path: string) => (await fetch(`${on.world.url}${path}`)).status;
  expect(await status('/')).toBe(200);
  expect(await status('/activity')).toBe(401);
  expect(await status('/events')).toBe(401);
});
