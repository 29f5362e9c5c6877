/** What an operator does with the console, on a Reeve that runs, with suppliers that break. */
import { expect, test } from 'vitest';
import { stage } from './pages.ts';

const on = stage();

/** Orders that a supplier declines stop in Error; gives their ids. */
function stopped(count: number, tenant: string): Promise<string[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const orderId = await on.world.submit('express', tenant);
      await on.world.reaches(orderId, 'Error');
      return orderId;
    }),
  );
}

test('an order is watched live: a supplier hangs, attempts and a cool-down are shown, it stops; after a resubmit it is Processed', async () => {
  const { world } = on;
  await world.faults('payment', { hangRate: 1 });
  const page = await on.open('#/');
  await page.getByText('No orders yet').waitFor();
  await page.getByText('Nothing needs an operator').waitFor();

  const orderId = await world.submit('express', 'north');
  await page.locator('.flow').getByText(orderId).click();
  await page.getByRole('heading', { name: orderId }).waitFor();
  const charge = page.locator('.lane', { hasText: 'charge' });
  await charge.getByRole('img', { name: /^Call 1: timed out after/ }).waitFor();
  await charge.getByRole('img', { name: /^cool-down for/ }).waitFor();
  await page.locator('.lock', { hasText: 'it continues at' }).waitFor();
  await page.locator('.order-title .badge', { hasText: 'Error' }).waitFor();
  expect(await charge.locator('.bar[data-kind="timedOut"]').count()).toBe(4);
  const fault = page.getByRole('region', { name: 'Fault' });
  expect(await fault.textContent()).toContain('Step charge failed exhausted');
  expect(await page.locator('.history').textContent()).toContain('Step charge timed out.');

  await world.faults('payment', { hangRate: 0 });
  await page.getByRole('button', { name: 'Resubmit …' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.textContent()).toContain('continues at the step that failed');
  await dialog.getByRole('button', { name: 'Resubmit' }).click();
  await page.locator('.order-title .badge', { hasText: 'Processed' }).waitFor();
  await charge.getByRole('img', { name: /^Call 5: succeeded after/ }).waitFor();
  await page.getByRole('img', { name: /^resubmitted by/ }).waitFor();
  expect(await page.locator('.box[data-state="Completed"]').count()).toBe(4);
});

test('recent changes show the progress of each order until it has ended', async () => {
  const { world } = on;
  const page = await on.open('#/');
  await page.locator('.live[data-connection="live"]').waitFor();
  await world.faults('shipping', { latencyMs: 3_000 });
  const ids = await Promise.all(
    Array.from({ length: 12 }, () => world.submit('order-fulfilment', 'flow')),
  );
  const last = page.locator('.flow-row', { hasText: ids.toSorted().at(-1) ?? '' });
  await last.getByRole('img', { name: /charge: completed, ship: running/ }).waitFor();
  await last.getByRole('img', { name: /charge: completed, ship: completed/ }).waitFor();
  await world.faults('shipping', { latencyMs: 0 });
});

test('fifty failed orders are selected, and each one’s resubmit has a result', async () => {
  const { world } = on;
  await world.faults('payment', { declineRate: 1 });
  await stopped(50, 'bulk');
  await world.faults('payment', { declineRate: 0 });
  const page = await on.open('#/orders?state=Error&tenant=bulk');
  const rows = page.locator('.orders tbody tr');
  await rows.nth(49).waitFor();
  await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
  await page.getByRole('button', { name: 'Resubmit …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Resubmit 50 orders?' });
  await dialog.getByRole('button', { name: 'Resubmit 50 orders' }).click();
  // Its title changes from the question to the run.
  const result = page.getByRole('dialog');
  await result.getByText('50 of 50 done').waitFor();
  expect(await result.locator('.results li[data-tone="good"]').count()).toBe(50);
  await result.getByRole('button', { name: 'Close' }).click();
});

test('an order that has changed meanwhile is refused with a reason', async () => {
  const { world } = on;
  await world.faults('payment', { declineRate: 1 });
  const orderId = await world.submit('express', 'thinking');
  await world.reaches(orderId, 'Error');
  await world.faults('payment', { declineRate: 0 });
  const page = await on.open('#/orders?tenant=thinking');
  await page.getByRole('checkbox', { name: `Select order ${orderId}` }).check();
  await page.getByRole('button', { name: 'Resubmit …' }).click();
  const response = await fetch(`${world.url}/orders/${orderId}/resubmit`, { method: 'POST' });
  expect(response.status).toBe(202);
  await page.getByRole('dialog').getByRole('button', { name: 'Resubmit 1 order' }).click();
  await page.getByText('1 of 1 done, 1 refused').waitFor();
  await page.getByText('The order has changed since').waitFor();
});

test('a resubmit corrects a field, and an unknown field is refused with a reason', async () => {
  const { world } = on;
  await world.faults('payment', { declineRate: 1 });
  const orderId = await world.submit('express', 'corrected');
  await world.reaches(orderId, 'Error');
  await world.faults('payment', { declineRate: 0 });
  const page = await on.open(`#/orders/${orderId}`);
  await page.getByRole('button', { name: 'Resubmit …' }).click();
  await page.getByRole('button', { name: 'Correct a field' }).click();
  const field = page.getByLabel('Field 1', { exact: true });
  await field.fill('shipTo.planet');
  await page.getByLabel('New value 1', { exact: true }).fill('Mars');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('shipTo').first().waitFor();
  await field.fill('shipTo.city');
  const value = page.getByLabel('New value 1', { exact: true });
  await value.fill('4242');
  await page.getByText('Sends the text "4242".').waitFor();
  await page.getByRole('button', { name: 'Send the number 4242' }).click();
  await page.getByText('Sends the number 4242.').waitFor();
  await value.fill('Mars');
  await page.getByText('Sends the text "Mars".').waitFor();
  await field.press('Enter');
  await page.locator('.order-title .badge', { hasText: 'Processed' }).waitFor();
  await page.locator('.history li', { hasText: 'shipTo.city' }).waitFor();
  await page
    .locator('.document', { hasText: '"city": "Mars"' })
    .first()
    .waitFor({ state: 'attached' });
});

test('the listing is filtered, leads to an order by its id, and says when there is none', async () => {
  const { world } = on;
  const orderId = await world.submit('order-fulfilment', 'filters');
  const page = await on.open('#/orders');
  await page.getByRole('link', { name: orderId }).waitFor();
  await page.getByRole('searchbox', { name: 'Tenant' }).fill('nobody');
  await page.keyboard.press('Enter');
  await page.getByText('No matching orders').waitFor();
  expect(page.url()).toContain('tenant=nobody');
  await page.getByRole('searchbox', { name: 'Order id or correlation id' }).fill(orderId);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: orderId }).waitFor();
  await page.goto(`${world.url}/#/orders/no-such-order`);
  await page.getByText('No order has this id').waitFor();
});

test('an order is found by its correlation id, and several of one are listed', async () => {
  const { world } = on;
  const find = async (text: string) => {
    const page = await on.open('#/orders');
    await page.getByRole('searchbox', { name: 'Order id or correlation id' }).fill(text);
    await page.keyboard.press('Enter');
    return page;
  };
  const alone = await world.submit('express', 'names', 'cart #1');
  const pair = [
    await world.submit('express', 'names', 'cart #2'),
    await world.submit('express', 'names', 'cart #2'),
  ];
  await (await find('cart #1')).getByRole('heading', { name: alone }).waitFor();
  const page = await find('cart #2');
  for (const id of pair) await page.getByRole('link', { name: id }).waitFor();
  // The list of all orders has these links too, until the answer to the search replaces it.
  await page.getByRole('link', { name: alone }).waitFor({ state: 'detached' });
});

test('the tooltip of an instant is exact', async () => {
  const { world } = on;
  const orderId = await world.submit('express', 'exact');
  const page = await on.open('#/orders?tenant=exact');
  const changed = page.locator('tr', { hasText: orderId }).locator('time');
  // With the time zone of the browser, and milliseconds.
  expect(await changed.getAttribute('title')).toMatch(/\d\d:\d\d:\d\d\.\d{3} \S+$/);
});

test('it is used with the keyboard alone', async () => {
  const page = await on.open('#/');
  await page.locator('.live[data-connection="live"]').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.id')).toBe('main');
  await page.getByRole('link', { name: 'Agents', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'payment' }).waitFor();
  expect(await page.title()).toBe('Agents · Reeve');
});

test('the theme is the system’s until it is toggled, and then stays so', async () => {
  const page = await on.open('#/', { colorScheme: 'dark' });
  const theme = () => page.evaluate('document.documentElement.dataset.theme');
  await page.getByRole('button', { name: 'Use light colours' }).click();
  expect(await theme()).toBe('light');
  await page.reload();
  await page.getByRole('button', { name: 'Use dark colours' }).waitFor();
  expect(await theme()).toBe('light');
});

test('a server without events is polled', async () => {
  const { world } = on;
  const page = await on.open('#/orders?tenant=polled');
  await page.route('**/events', (route) => route.fulfill({ status: 404, body: '{}' }));
  await page.route('**/activity', (route) => route.fulfill({ status: 404, body: '{}' }));
  await page.reload();
  await page.locator('.live[data-connection="polling"]').waitFor();
  await page.getByText('No matching orders').waitFor();
  const orderId = await world.submit('order-fulfilment', 'polled');
  await page.getByRole('link', { name: orderId }).waitFor();
  await page.goto(`${world.url}/#/`);
  await page.locator('.flow').getByText(orderId).waitFor();
  expect(await page.locator('.chart').count()).toBe(0);
});

test('what needs an operator is grouped by its cause, and one button resubmits all of a cause', async () => {
  const { world } = on;
  await world.faults('payment', { declineRate: 1 });
  await stopped(12, 'cause');
  const page = await on.open('#/');
  const cause = page.locator('.cause', { hasText: 'declined' });
  await expect.poll(() => cause.textContent(), { timeout: 30_000 }).toContain('12 orders');
  expect(await cause.textContent()).toContain('Payment declined the request.');
  await world.faults('payment', { declineRate: 0 });
  await cause.getByRole('button', { name: 'Resubmit all 12 …' }).click();
  const dialog = page.getByRole('dialog', { name: 'Resubmit 12 orders?' });
  await dialog.getByRole('button', { name: 'Resubmit 12 orders' }).click();
  const result = page.getByRole('dialog');
  await result.getByText('12 of 12 done').waitFor();
  expect(await result.locator('.results li[data-tone="good"]').count()).toBe(12);
  await result.getByRole('button', { name: 'Close' }).click();
});

test('all matching orders are selected, not only those that are loaded; a stopped run continues', async () => {
  const { world } = on;
  await world.faults('payment', { declineRate: 1 });
  await stopped(120, 'every');
  await world.faults('payment', { declineRate: 0 });
  const page = await on.open('#/orders?state=Error&tenant=every&step=charge&fault=declined');
  await page.locator('.orders tbody tr').nth(49).waitFor();
  await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
  await page.getByText('50 selected').waitFor();
  await page.getByRole('button', { name: 'Select all that match' }).click();
  await page.getByRole('button', { name: 'Resubmit …' }).click();
  // After some of them the server answers no more.
  let allowed = 30;
  await page.route('**/resubmit', (route) => (allowed-- > 0 ? route.continue() : route.abort()));
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Resubmit 120 orders' }).click();
  await dialog.getByText('30 of 120 done').waitFor();
  await dialog.getByText('Reeve does not answer').waitFor();
  await page.unroute('**/resubmit');
  await dialog.getByRole('button', { name: 'Continue with 90 orders' }).click();
  await dialog.getByText('120 of 120 done').waitFor();
  expect(await dialog.getByRole('status').textContent()).not.toContain('refused');
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByText('No matching orders').waitFor();
});

test('a run is ended by its button alone: not by Escape, by a link, or by Back', async () => {
  const { world } = on;
  await world.faults('payment', { declineRate: 1 });
  await stopped(12, 'running');
  await world.faults('payment', { declineRate: 0 });
  const page = await on.open('#/');
  const orders = `${world.url}/#/orders?state=Error&tenant=running`;
  await page.goto(orders);
  await page.locator('.orders tbody tr').nth(11).waitFor();
  await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
  await page.getByRole('button', { name: 'Resubmit …' }).click();
  let allowed = 6;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/resubmit', async (route) => {
    if (allowed-- <= 0) await released;
    await route.continue();
  });
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Resubmit 12 orders' }).click();
  await dialog.getByText('6 of 12 done').waitFor();
  for (let pressed = 0; pressed < 4; pressed += 1) await page.keyboard.press('Escape');
  expect(await dialog.getByRole('link').count()).toBe(0);
  await page.goBack();
  await expect.poll(() => page.url()).toBe(orders);
  release();
  await dialog.getByText('12 of 12 done').waitFor();
  expect(await dialog.getByRole('link').count()).toBe(12);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.goBack();
  await page.locator('.flow').waitFor();
});

test('the listing is filtered by the step and the code of a fault', async () => {
  const { world } = on;
  await world.faults('payment', { declineRate: 1 });
  const orderId = await world.submit('order-fulfilment', 'coded');
  await world.reaches(orderId, 'Undone');
  await world.faults('payment', { declineRate: 0 });
  const page = await on.open('#/orders?tenant=coded');
  await page.getByRole('link', { name: orderId }).waitFor();
  await page.getByRole('combobox', { name: 'Step' }).selectOption('charge');
  await page.getByRole('searchbox', { name: 'Fault code' }).fill('declined');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: orderId }).waitFor();
  expect(page.url()).toContain('step=charge&fault=declined');
  await page.getByRole('searchbox', { name: 'Fault code' }).fill('exhausted');
  await page.keyboard.press('Enter');
  await page.getByText('No matching orders').waitFor();
});
