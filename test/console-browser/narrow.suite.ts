/** No page is wider than its window, also with the longest names: a button outside the window cannot be pressed. */
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { longest, longestAgents, longestWorkflow } from './longest.ts';
import { stage } from './pages.ts';

const on = stage({ also: { workflow: longestWorkflow, agents: longestAgents } });
let orderId = '';

beforeAll(async () => {
  const { world } = on;
  const { workflow, tenant, correlationId } = longest;
  orderId = await world.submit(workflow, tenant, correlationId);
  await world.reaches(orderId, 'Error');
});

const filters = () => {
  const { workflow, tenant, correlationId, code } = longest;
  const [{ agent, name: step } = { agent: '', name: '' }] = longestWorkflow.steps;
  const query = { workflow, tenant, correlationId, fault: code, step, agent };
  return `#/orders?${new URLSearchParams(query)}`;
};

const pages = [
  { name: 'now', hash: () => '#/', sign: '.cause' },
  { name: 'orders', hash: () => '#/orders', sign: '.orders tbody tr' },
  { name: 'orders of all filters', hash: filters, sign: '.orders tbody tr' },
  { name: 'an order', hash: () => `#/orders/${orderId}`, sign: '.trouble' },
  {
    name: 'an order that is not there',
    hash: () => `#/orders/${longest.orderId}`,
    sign: '.notice',
  },
  { name: 'agents', hash: () => '#/agents', sign: '.endpoints' },
  { name: 'workflows', hash: () => '#/workflows', sign: '.policies' },
];

/** What is at the right of the window or of its dialog, but in a box that can be scrolled, or that shows by dots that it cuts its text. */
const beside = `[...document.querySelectorAll('main *, header *, dialog, dialog *')]
  .filter((one) => one.checkVisibility() && !one.closest('.unseen, .table-box, .graph-box, svg, select'))
  .filter((one) => !isCut(one.parentElement) && one.getBoundingClientRect().right > edgeOf(one) + 1)
  .map((one) => one.tagName + '.' + one.className + ': ' + one.textContent.slice(0, 40));
  function isCut(one) {
    return one !== null && (getComputedStyle(one).textOverflow === 'ellipsis' || isCut(one.parentElement));
  }
  function edgeOf(one) {
    return one.parentElement.closest('dialog')?.getBoundingClientRect().right ?? innerWidth;
  }`;

async function expectToFit(page: Page, width: number): Promise<void> {
  expect(await page.evaluate(beside)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
}

describe.each([320, 375, 900, 1_280])('in a window of %d pixels', (width) => {
  const viewport = { width, height: 800 };

  test.each(pages)('$name', async ({ hash, sign }) => {
    const page = await on.open(hash(), { viewport });
    await page.locator(sign).first().waitFor();
    await page.locator('.live[data-connection="live"]').waitFor();
    for (const summary of await page.locator('summary').all()) await summary.click();
    await expectToFit(page, width);
  });

  test('what is selected, the dialogs, and their results', async () => {
    const page = await on.open(`#/orders?tenant=${longest.tenant}`, { viewport });
    await page.getByLabel(`Select order ${orderId}`).check();
    await page.getByRole('button', { name: 'Cancel …' }).waitFor();
    await expectToFit(page, width);
    await page.goto(`${on.world.url}/#/orders/${orderId}`);
    await page.getByRole('button', { name: 'Cancel …' }).click();
    await page.getByRole('dialog').waitFor();
    await expectToFit(page, width);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Resubmit …' }).click();
    await page.getByRole('button', { name: 'Correct a field' }).click();
    await page.getByLabel('Field 1', { exact: true }).fill(longest.orderId);
    await page.getByLabel('New value 1', { exact: true }).fill(longest.correlationId);
    await expectToFit(page, width);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').waitFor();
    await expectToFit(page, width);
  });
});
