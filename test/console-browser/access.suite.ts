/** Accessibility: no serious finding of axe on any page, in both themes, and on a phone. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import * as z from 'zod';
import { stage } from './pages.ts';

const on = stage();
const orders = { done: '', stopped: '' };

beforeAll(async () => {
  const { world } = on;
  orders.done = await world.submit('order-fulfilment', 'north');
  await world.reaches(orders.done, 'Processed');
  await world.faults('payment', { declineRate: 1 });
  orders.stopped = await world.submit('express', 'south');
  await world.reaches(orders.stopped, 'Error');
  const undone = await world.submit('order-fulfilment', 'south');
  await world.reaches(undone, 'Undone');
});

const pages = [
  { name: 'now', hash: () => '#/', sign: '.flow li' },
  { name: 'orders', hash: () => '#/orders', sign: '.orders tbody tr' },
  { name: 'no orders', hash: () => '#/orders?tenant=nobody', sign: '.notice' },
  { name: 'an order that is done', hash: () => `#/orders/${orders.done}`, sign: '.lane' },
  { name: 'an order that stopped', hash: () => `#/orders/${orders.stopped}`, sign: '.trouble' },
  { name: 'an order that is not there', hash: () => '#/orders/none', sign: '.notice' },
  { name: 'agents', hash: () => '#/agents', sign: '.latencies' },
  { name: 'workflows', hash: () => '#/workflows', sign: '.policies' },
  { name: 'no page', hash: () => '#/nowhere', sign: '.notice' },
];

const findings = z.array(
  z.object({ id: z.string(), impact: z.string().nullish(), nodes: z.array(z.unknown()) }),
);

/** Run as if by the browser's own tools: no policy of the page's stands in the way. */
async function serious(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found: unknown = await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.map(({ id, impact, nodes }) => ({ id, impact, nodes: nodes.map(({ html }) => html) })))`,
  );
  return findings
    .parse(found)
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.join(' | ')}`);
}

/** What is cut off at its right, be it hidden or scrolled to; but a drawing, and words for a screen reader alone. */
const cutTexts = `[...document.querySelectorAll('main *:not(.unseen)')]
  .filter((box) => box.scrollWidth > box.clientWidth + 1 && box.clientWidth > 0)
  .filter((box) => getComputedStyle(box).overflowX !== 'visible' && !box.querySelector('svg.graph'))
  .map((box) => box.className + ': ' + box.textContent)`;

test('a picture without words would be found', async () => {
  const page = await on.open('#/nowhere');
  await page.locator('.notice').waitFor();
  await page.evaluate("document.querySelector('main').append(document.createElement('img'))");
  expect((await serious(page)).join()).toContain('image-alt');
});

for (const colorScheme of ['light', 'dark'] as const) {
  test.each(pages)(`$name, ${colorScheme}: nothing serious`, async ({ hash, sign }) => {
    const page = await on.open(hash(), { colorScheme });
    await page.locator(sign).first().waitFor();
    await page.locator('.live[data-connection="live"]').waitFor();
    expect(await serious(page)).toEqual([]);
  });

  test(`the dialogs, ${colorScheme}: nothing serious`, async () => {
    const page = await on.open(`#/orders/${orders.stopped}`, { colorScheme });
    await page.getByRole('button', { name: 'Resubmit …' }).click();
    await page.getByRole('button', { name: 'Correct a field' }).click();
    expect(await serious(page)).toEqual([]);
    await page.getByRole('button', { name: 'Keep it unchanged' }).click();
    await page.getByRole('button', { name: 'Cancel …' }).click();
    expect(await serious(page)).toEqual([]);
  });
}

test.each(pages)('$name fits on a phone without scrolling sideways', async ({ hash, sign }) => {
  const page = await on.open(hash(), {
    viewport: { width: 360, height: 740 },
    isMobile: true,
    hasTouch: true,
  });
  await page.locator(sign).first().waitFor();
  const widths: unknown = await page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  );
  expect(widths).toEqual([360, 360]);
  expect(await page.evaluate(cutTexts)).toEqual([]);
});
