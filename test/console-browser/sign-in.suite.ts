/** A Reeve whose API accepts the tokens of an OpenID provider: users sign in there, and return. */
import { afterAll, expect, test } from 'vitest';
import { stage } from './pages.ts';
import { startProvider } from './provider.ts';

const token = 'what-the-provider-gives';
const clientId = 'reeve-console';
const provider = await startProvider(token, clientId);
afterAll(() => provider.close());
const { issuer } = provider;
const on = stage({ token, signIn: { issuer, clientId, scope: 'openid', tokenOrigin: null } });
const open = (hash: string) => on.open(hash, { ignoreHTTPSErrors: true });

test('a sign-in returns to the same page, and lasts', async () => {
  const orderId = await on.world.submit('order-fulfilment');
  const page = await open(`#/orders/${orderId}`);
  const dialog = page.getByRole('dialog', { name: 'Sign in to Reeve' });
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.live[data-connection="live"]').waitFor();
  await page.getByRole('heading', { name: orderId }).waitFor();
  expect(await dialog.count()).toBe(0);
  // Neither code nor state remains in the address, which bookmarks and logs keep.
  expect(page.url()).toBe(`${on.world.url}/#/orders/${orderId}`);
  await page.reload();
  await page.getByRole('heading', { name: orderId }).waitFor();
});

test('a refused user sees the refusal, and may try again', async () => {
  provider.refuse(true);
  const page = await open('#/orders');
  const dialog = page.getByRole('dialog', { name: 'Sign in to Reeve' });
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await dialog.getByText('The sign-in failed.').waitFor();
  provider.refuse(false);
  await dialog.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Orders' }).waitFor();
  await page.locator('.live[data-connection="live"]').waitFor();
});

test('a response without a request is not accepted', async () => {
  const page = await open('?code=stolen&state=somebody-else#/orders');
  await page.getByRole('dialog', { name: 'Sign in to Reeve' }).waitFor();
});
