/** The built site in a browser: search, diagrams, images and both themes. */
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { readmePage } from '#docs-site/readme-page.ts';
import { sitePages } from '#docs-site/site-pages.ts';
import { startChromium } from '../support/chromium.ts';
import { codeBlocks } from '../support/code-blocks.ts';

const url = inject('siteUrl');
let browser: Browser;
let page: Page;
/** Errors of scripts, answers that are errors, and requests to other places. */
let wrong: string[];

beforeAll(async () => {
  browser = await startChromium();
});
afterAll(() => browser.close());

beforeEach(async () => {
  page = await browser.newPage({ colorScheme: 'light' });
  wrong = [];
  page.on('pageerror', ({ message }) => wrong.push(message));
  page.on('console', (message) => message.type() === 'error' && wrong.push(message.text()));
  page.on('response', (response) => response.ok() || wrong.push(response.url()));
  await page.route(
    (address) => !address.href.startsWith(url),
    async (route) => {
      wrong.push(route.request().url());
      await route.abort();
    },
  );
});
const isDiagram = ({ language }: { readonly language: string }) => language === 'mermaid';

afterEach(async () => {
  await page.close();
  expect(wrong).toEqual([]);
});

test.each([
  ['holdMax', '/package/reeve.html#stepoptions'],
  ['definePool', '/package/reeve.html#definepool'],
  ['visual designer', '/#is-it-for-you'],
])('the search finds %s, and opens what it found', async (text, address) => {
  await page.goto(url);
  await page.getByRole('button', { name: 'Search' }).click();
  await page.getByRole('searchbox').fill(text);
  await page.locator(`#localsearch-list a[href="${address}"]`).click();
  await page.waitForURL((opened) => opened.href === new URL(address, url).href);
  await page.locator(new URL(address, url).hash).waitFor();
});

/** The pages that have diagrams, each with their number in its source. */
const diagrams = sitePages
  .map((each) => {
    const source = readFileSync(each.source, 'utf8');
    const text = each.sections === undefined ? source : readmePage(source, each);
    return { path: each.path, count: codeBlocks(text).filter(isDiagram).length };
  })
  .filter(({ count }) => count > 0);

test('the documents have diagrams', () => {
  expect(diagrams.length).toBeGreaterThan(3);
});

test.each(diagrams)('all diagrams of $path are drawn, with their whole text', async (each) => {
  await page.goto(`${url}${each.path}.html`);
  const drawn = page.locator('.diagram svg');
  await drawn.nth(each.count - 1).waitFor();
  expect(await drawn.count()).toBe(each.count);
  expect(await page.locator('pre.diagram').count()).toBe(0);
  expect(await page.getByText('Syntax error').count()).toBe(0);
  const cut = await drawn.locator('foreignObject > div').evaluateAll((boxes) =>
    boxes
      .filter(({ scrollHeight, parentElement }) => {
        const height = Number(parentElement?.getAttribute('height'));
        return scrollHeight > height + 1;
      })
      .map(({ textContent }) => textContent),
  );
  expect(cut).toEqual([]);
});

test('the switch changes the theme of the page and of its diagrams', async () => {
  await page.goto(`${url}concepts.html`);
  const colour = (property: string, selector: string) =>
    page.evaluate<string>(
      `getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${property}')`,
    );
  const colours = async () => ({
    ground: await colour('background-color', 'body'),
    text: await colour('color', '.diagram .nodeLabel'),
  });
  await page.locator('.diagram svg').first().waitFor();
  const light = await colours();
  await page.getByRole('switch').first().click();
  await page.locator('html.dark').waitFor();
  await expect.poll(async () => (await colours()).text).not.toBe(light.text);
  expect((await colours()).ground).not.toBe(light.ground);
});

test('the images of a page are shown', async () => {
  await page.goto(`${url}shop.html`);
  const images = page.locator('.vp-doc img');
  expect(await images.count()).toBeGreaterThan(0);
  for (const image of await images.all()) {
    await image.scrollIntoViewIfNeeded();
    await expect
      .poll(() => image.evaluate((each) => ('naturalWidth' in each ? each.naturalWidth : 0)))
      .toBeGreaterThan(100);
  }
});
