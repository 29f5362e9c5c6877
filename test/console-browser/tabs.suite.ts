/** Tabs of one browser, which has six connections to a server for all of them. */
import { expect, test } from 'vitest';
import { stage } from './pages.ts';

const on = stage();

/** What a tab says of itself in the background, or in the foreground, in which those of this browser are. */
const isNow = (state: 'hidden' | 'visible') => `
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' });
  document.dispatchEvent(new Event('visibilitychange'));
`;

test('beside many tabs in the background, the one that is shown works; one of them does when it is shown', async () => {
  const orderId = await on.world.submit('order-fulfilment');
  const shown = await on.open('#/orders');
  const tabs = await Promise.all(Array.from({ length: 8 }, () => shown.context().newPage()));
  for (const tab of tabs) {
    await tab.addInitScript({ content: isNow('hidden') });
    await tab.goto(`${on.world.url}/#/orders/${orderId}`);
    await tab.getByRole('heading', { name: orderId }).waitFor();
  }
  await shown.reload();
  await shown.locator('.live[data-connection="live"]').waitFor();
  const [first] = tabs;
  expect(await first?.locator('.live').getAttribute('data-connection')).toBe('connecting');
  await first?.evaluate(isNow('visible'));
  await first?.locator('.live[data-connection="live"]').waitFor();
});
