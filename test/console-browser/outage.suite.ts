/** What an operator sees where Reeve does not answer, or something else answers in its place. */
import type { Page, Route } from 'playwright-core';
import { expect, test } from 'vitest';
import { stage } from './pages.ts';

const on = stage();

/** Orders that a supplier declines stop in Error; gives their ids. */
async function stopped(count: number, tenant: string): Promise<string[]> {
  await on.world.faults('payment', { declineRate: 1 });
  const ids = await Promise.all(
    Array.from({ length: count }, async () => {
      const orderId = await on.world.submit('express', tenant);
      await on.world.reaches(orderId, 'Error');
      return orderId;
    }),
  );
  await on.world.faults('payment', { declineRate: 0 });
  return ids;
}

/** As on AWS, where there are no events. */
async function withoutEvents(page: Page): Promise<void> {
  await page.route('**/events', (route) => route.fulfill({ status: 404, body: '{}' }));
  await page.reload();
  await page.locator('.live[data-connection="polling"]').waitFor();
}

const html = (route: Route) =>
  route.fulfill({ contentType: 'text/html', body: '<h1>Sign in</h1>' });

test('a server that is polled is shown as offline while it does not answer', async () => {
  const page = await on.open('#/orders');
  await withoutEvents(page);
  const isListing = (url: URL) => url.pathname === '/orders';
  await page.route(isListing, (route) => route.abort());
  await page.locator('.live[data-connection="offline"]').waitFor();
  await page.unroute(isListing);
  await page.locator('.live[data-connection="polling"]').waitFor();
  // What a gateway answers in its place.
  await page.route(isListing, (route) => route.fulfill({ status: 503, body: '<html>' }));
  await page.locator('.live[data-connection="offline"]').waitFor();
});

test('a run that is answered by a proxy stops, and continues when Reeve answers again', async () => {
  await stopped(3, 'proxy');
  const page = await on.open('#/orders?state=Error&tenant=proxy');
  await page.locator('.orders tbody tr').nth(2).waitFor();
  await page.getByRole('checkbox', { name: 'Select all that are shown' }).check();
  await page.getByRole('button', { name: 'Resubmit …' }).click();
  await page.route('**/resubmit', html);
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Resubmit 3 orders' }).click();
  await dialog.getByText('Reeve does not answer').waitFor();
  await page.unroute('**/resubmit');
  await dialog.getByRole('button', { name: 'Continue with 3 orders' }).click();
  await dialog.getByText('3 of 3 done').waitFor();
});

test('one order whose resubmit is answered by a proxy keeps its dialog, with the reason', async () => {
  const [orderId] = await stopped(1, 'one');
  const page = await on.open(`#/orders/${orderId}`);
  await page.getByRole('button', { name: 'Resubmit …' }).click();
  await page.route('**/resubmit', html);
  const dialog = page.getByRole('dialog', { name: 'Resubmit this order?' });
  await dialog.getByRole('button', { name: 'Resubmit', exact: true }).click();
  await dialog.getByText('The answer is none of Reeve.').waitFor();
  await page.unroute('**/resubmit');
  await dialog.getByRole('button', { name: 'Resubmit', exact: true }).click();
  await dialog.waitFor({ state: 'detached' });
});

test('an order that was resubmitted and has stopped again while its dialog was open is resubmitted only when that is said', async () => {
  const { world } = on;
  const [orderId = ''] = await stopped(1, 'again');
  const page = await on.open(`#/orders/${orderId}`);
  await page.getByRole('button', { name: 'Resubmit …' }).click();
  await world.faults('payment', { declineRate: 1 });
  const stops = world.reaches(orderId, 'Error');
  expect((await fetch(`${world.url}/orders/${orderId}/resubmit`, { method: 'POST' })).status).toBe(
    202,
  );
  await stops;
  await world.faults('payment', { declineRate: 0 });
  const dialog = page.getByRole('dialog', { name: 'Resubmit this order?' });
  const resubmit = dialog.getByRole('button', { name: 'Resubmit', exact: true });
  await page.locator('.history [data-type="resubmit"] ~ [data-type="stepFailed"]').waitFor();
  await resubmit.click();
  await dialog.getByText('The order has changed since').waitFor();
  await resubmit.click();
  await dialog.waitFor({ state: 'detached' });
});

test('a page whose document is answered by a proxy says so, and is shown when Reeve answers', async () => {
  const page = await on.open('#/agents');
  await withoutEvents(page);
  await page.route('**/activity', html);
  await page.reload();
  await page.getByText('The answer is none of Reeve').waitFor();
  await page.unroute('**/activity');
  await page.getByText('The answer is none of Reeve').waitFor({ state: 'detached' });
});

test('rows below the first page follow their orders where a server is polled', async () => {
  const { world } = on;
  const ids = await stopped(70, 'deep');
  const page = await on.open('#/orders?tenant=deep&state=Error');
  await withoutEvents(page);
  const rows = page.locator('.orders tbody tr');
  await rows.nth(49).waitFor();
  const isNext = (url: URL) => url.searchParams.has('cursor');
  await page.route(isNext, (route) => route.abort());
  await page.getByRole('button', { name: 'Load more' }).click();
  await page.getByRole('alert').getByText('No more orders were loaded.').waitFor();
  await page.unroute(isNext);
  await page.getByRole('button', { name: 'Load more' }).click();
  await rows.nth(69).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  const last = (await rows.nth(69).locator('a.id').textContent())?.trim() ?? '';
  expect(ids).toContain(last);
  const ended = world.reaches(last, 'Processed');
  expect((await fetch(`${world.url}/orders/${last}/resubmit`, { method: 'POST' })).status).toBe(
    202,
  );
  await ended;
  await page.getByRole('link', { name: last }).waitFor({ state: 'detached' });
  expect(await rows.count()).toBe(69);
});

test.each([
  ['#/', /needs an operator/i],
  ['#/orders?tenant=empty', 'No matching orders'],
  ['#/agents', 'of calls succeeded'],
])(
  'the page %s that did not get its documents gets them without a change of an order',
  async (hash, text) => {
    const page = await on.open('#/workflows');
    await page.locator('.live[data-connection="live"]').waitFor();
    const isDocument = (url: URL) => ['/orders', '/activity', '/agents'].includes(url.pathname);
    await page.route(isDocument, (route) => route.abort());
    await page.goto(`${on.world.url}/${hash}`);
    await page.getByText('Reeve does not answer').first().waitFor();
    await page.locator('.live[data-connection="live"]').waitFor();
    await page.unroute(isDocument);
    await page.getByText(text).first().waitFor({ timeout: 10_000 });
    await page.getByText('Reeve does not answer').waitFor({ state: 'detached' });
  },
);

test('a page that cannot show what a newer release answers says so, and other pages are shown', async () => {
  const orderId = await on.world.submit('order-fulfilment', 'newer');
  await on.world.reaches(orderId, 'Processed');
  const page = await on.open('#/workflows');
  await page.route(`**/orders/${orderId}`, async (route) => {
    const response = await route.fetch();
    const text = (await response.text()).replace('"Processed"', '"Archived"');
    // Without its ETag, so that it is not kept.
    await route.fulfill({ contentType: 'application/json', body: text });
  });
  await page.goto(`${on.world.url}/#/orders/${orderId}`);
  await page.getByText('This page cannot be shown').waitFor();
  await page.getByRole('link', { name: 'Agents', exact: true }).click();
  await page.getByRole('heading', { name: 'payment' }).waitFor();
  await page.unroute(`**/orders/${orderId}`);
  await page.goBack();
  await page.getByRole('heading', { name: orderId }).waitFor();
});

test('without counted calls, as on AWS, the agents are shown with what they do and what was changed of them', async () => {
  const { world } = on;
  const change = (body: object) =>
    fetch(`${world.url}/agents/fraud`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  expect((await change({ drained: true })).status).toBe(200);
  const page = await on.open('#/workflows');
  await page.route('**/activity', (route) => route.fulfill({ status: 404, body: '{}' }));
  await page.goto(`${world.url}/#/agents`);
  const table = page.getByRole('region', { name: 'What each agent does now' });
  await table.getByText('payment').waitFor();
  expect(await table.locator('tr', { hasText: 'fraud' }).textContent()).toMatch(
    /drain(ed|ing) by local/,
  );
  expect((await change({ drained: false })).status).toBe(200);
});
