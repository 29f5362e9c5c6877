/** Orders that wait: for which agent, why and since when; and how an operator lets them go first. */
import { expect, test } from 'vitest';
import { stage } from './pages.ts';

const on = stage();

test('an order says that it waits for payment, and agents show the open circuit', async () => {
  const { world } = on;
  await world.faults('payment', { down: true });
  const first = await Promise.all(
    Array.from({ length: 8 }, () => world.submit('order-fulfilment', 'waits')),
  );
  const page = await on.open(`#/orders/${first[0]}`);
  await page.getByRole('heading', { name: String(first[0]) }).waitFor();
  const wait = page.locator('.lock', {
    hasText: 'Waits for payment: its circuit breaker is open, since',
  });
  await wait.waitFor();
  await page.goto(`${world.url}/#/agents`);
  const card = page.getByRole('region', { name: 'payment' });
  await card.getByText('because its circuit breaker is open').waitFor();
  await card.getByText('Circuit', { exact: true }).waitFor();
  await card.getByRole('link', { name: /steps? waits?$/ }).click();
  await page
    .getByRole('button', { name: 'Held' })
    .and(page.locator('[aria-pressed="true"]'))
    .waitFor();
  await page.locator('tr', { hasText: 'waits for payment (circuit)' }).first().waitFor();
  expect(page.url()).toContain('agent=payment&held=true');
  await world.faults('payment', { down: false });
});

test('an order of which one step is under way says what the other one waits for', async () => {
  const { world } = on;
  await world.faults('inventory', { down: true });
  const opening = await Promise.all(
    Array.from({ length: 8 }, () => world.submit('order-fulfilment', 'opens')),
  );
  const page = await on.open(`#/orders/${opening[0]}`);
  await page
    .locator('.lock', { hasText: 'Waits for inventory: its circuit breaker is open, since' })
    .waitFor();
  await world.faults('fraud', { latencyMs: 2_500 });
  const orderId = await world.submit('order-fulfilment', 'both');
  await page.goto(`${world.url}/#/orders/${orderId}`);
  await page.locator('.lock', { hasText: 'Claimed by Scheduler' }).waitFor();
  await page
    .locator('.lock', { hasText: 'Waits for inventory: its circuit breaker is open, since' })
    .waitFor();
  await world.faults('fraud', { latencyMs: 0 });
  await world.faults('inventory', { down: false });
});

test('an order gets another priority, which its page and its history show', async () => {
  const { world } = on;
  await world.faults('payment', { declineRate: 1 });
  const orderId = await world.submit('express', 'urgent');
  await world.reaches(orderId, 'Error');
  await world.faults('payment', { declineRate: 0 });
  const page = await on.open(`#/orders/${orderId}`);
  await page.getByRole('button', { name: 'Reprioritise …' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByRole('radio', { name: 'high' }).isChecked()).toBe(true);
  await dialog.getByRole('radio', { name: 'low' }).check();
  await dialog.getByRole('button', { name: 'Reprioritise 1 order' }).click();
  await dialog.getByText('1 of 1 done').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.locator('.history li', { hasText: 'riority changed from normal to low' }).waitFor();
  expect(await page.locator('.facts div', { hasText: 'Priority' }).textContent()).toContain('low');
});

test('agents show the endpoints of a service', async () => {
  const { world } = on;
  const orderId = await world.submit('express', 'endpoints');
  await world.reaches(orderId, 'Processed');
  const page = await on.open('#/agents');
  const card = page.getByRole('region', { name: 'shipping' });
  const list = card.getByRole('list', { name: 'Endpoints of its service' });
  await list.getByText('https://south.carrier.example').waitFor();
  expect(await list.getByText('healthy').count()).toBe(2);
  expect(await page.getByText('https://north.carrier.example').count()).toBe(1);
});
