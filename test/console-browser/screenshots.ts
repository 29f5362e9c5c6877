/**
 * The pictures of the README, from a running Reeve with an hour of orders behind it: `npm run screenshots`.
 * The hour goes by in seconds: the clock is set on by a minute whenever nothing is under way.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { systemClock } from '#runtime/node/system-clock.ts';
import { startChromium } from '../support/chromium.ts';
import { startWorld, type World } from './world.ts';

const folder = 'docs/images';
const minuteMs = 60_000;
const tenants = ['north', 'south', 'east'];

const minutes = 56;
const begin = Math.floor(systemClock.now() / minuteMs - minutes) * minuteMs;

let behindMs = systemClock.now() - begin;
const world = await startWorld({
  clock: { ...systemClock, now: () => systemClock.now() - behindMs },
});
const browser = await startChromium();
try {
  await hourOfOrders();
  const orderId = await troubledOrder();
  await takeAll(browser, orderId);
} finally {
  await browser.close();
  await world.close();
}

/** In some minutes a supplier fails. The orders of each minute end within it. */
async function hourOfOrders(): Promise<void> {
  for (let minute = 0; minute < minutes; minute += 1) {
    behindMs = systemClock.now() - (begin + minute * minuteMs + 1_000);
    await world.faults('payment', { declineRate: minute % 17 > 12 ? 0.3 : 0.04 });
    const count = 14 + Math.round(9 * Math.sin(minute / 7) + 4 * Math.sin(minute / 2.3));
    await submitted(world, 'order-fulfilment', count);
    if (minute % 23 === 9) {
      await world.faults('payment', { declineRate: 1 });
      await submitted(world, 'express', 2);
    }
  }
  behindMs = 0;
}

async function submitted(to: World, workflow: string, count: number): Promise<void> {
  const ends = ['Processed', 'Undone', 'Error'];
  await Promise.all(
    Array.from({ length: count }, async (_, at) => {
      const orderId = await to.submit(workflow, tenants[at % tenants.length]);
      await Promise.race(ends.map((state) => to.reaches(orderId, state)));
    }),
  );
}

/** Payment hangs: two tries, a cool-down, two more; an operator resubmits, and it continues. */
async function troubledOrder(): Promise<string> {
  await world.faults('payment', { declineRate: 0, hangRate: 1 });
  const orderId = await world.submit('express', 'north');
  await world.reaches(orderId, 'Error');
  return orderId;
}

async function takeAll(from: Browser, orderId: string): Promise<void> {
  const wide = { width: 1_280, height: 980 };
  const light = await opened(from, wide, 'light');
  await world.faults('payment', { hangRate: 0, latencyMs: 1_600 });
  for (let at = 0; at < 6; at += 1) await world.submit('order-fulfilment', tenants[at % 3]);
  await pause(1_500);
  await take(light, 'now');
  await light.setViewportSize({ width: 1_280, height: 700 });
  await shown(light, '#/orders', '.orders tbody tr');
  await take(light, 'orders');
  await shown(light, `#/orders/${orderId}`, '.lane');
  await light.setViewportSize({ width: 1_280, height: 1_000 });
  await take(light, 'order');
  const dark = await opened(from, { width: 1_280, height: 1_000 }, 'dark');
  await world.faults('payment', { hangRate: 1, latencyMs: 0 });
  const again = await world.submit('express', 'south');
  await shown(dark, `#/orders/${again}`, '.lane');
  await dark.waitForSelector('.bar[data-kind="coolDown"]');
  await pause(700);
  await take(dark, 'order-dark');
  const phone = await opened(from, { width: 360, height: 740 }, 'light');
  await shown(phone, `#/orders/${orderId}`, '.lane');
  await take(phone, 'phone');
}

async function opened(
  from: Browser,
  viewport: { width: number; height: number },
  colorScheme: 'light' | 'dark',
): Promise<Page> {
  const isMobile = viewport.width < 500;
  const page = await from.newPage({
    ...{ viewport, colorScheme, isMobile, timezoneId: 'Europe/Zurich' },
  });
  await page.goto(world.url);
  await page.waitForSelector('.live[data-connection="live"]');
  return page;
}

async function shown(page: Page, hash: string, selector: string): Promise<void> {
  await page.goto(`${world.url}/${hash}`);
  await page.waitForSelector(selector);
  await pause(600);
}

async function take(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: `${folder}/${name}.png`, animations: 'disabled' });
}
