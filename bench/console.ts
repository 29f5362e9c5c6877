/**
 * The console over a busy Reeve, in the system's Chromium: the time until the list is shown with 10,000 orders in
 * the store, its frame rate at 200 changes per second, and the size that a browser loads. `npm run bench:console`.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Browser, Page } from 'playwright-core';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { serveApi } from '#runtime/local/http-server.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { jsonLog } from '#runtime/node/json-log.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { startChromium } from '../test/support/chromium.ts';

const { values: flags } = parseArgs({
  options: {
    orders: { type: 'string', default: '10000' },
    opens: { type: 'string', default: '9' },
    seconds: { type: 'string', default: '10' },
  },
});
/** Changes per second; each order makes four. */
const changesPerSecond = 200;
const changesPerOrder = 4;
/** Users notice a longer frame, ms. */
const longFrameMs = 50;

const work = defineAgent({ name: 'work', input: z.null(), output: z.null(), undo: 'unneeded' });
const chain = defineWorkflow({ name: 'chain', version: 1, details: z.null() })
  .step('first', { agent: work, input: () => null })
  .step('second', { agent: work, after: ['first'], input: () => null })
  .build();

const order = {
  details: null,
  priority: 'normal',
  tenant: null,
  correlationId: null,
  replyTo: null,
  key: null,
} as const;

const directory = mkdtempSync(join(tmpdir(), 'reeve-bench-console-'));
const log = jsonLog(systemClock, 'silent', () => {});
const reeve = await startLocalReeve({
  workflows: [chain],
  agents: [{ contract: work, perform: async () => null }],
  path: join(directory, 'reeve.db'),
  random: systemRandom,
  clock: systemClock,
  log,
});
const server = await serveApi(reeve, {
  ...{ host: '127.0.0.1', port: 0 },
});
const browser = await startChromium();
try {
  await fill(Number(flags.orders));
  const opens: Opened[] = [];
  for (let at = 0; at < Number(flags.opens); at += 1) opens.push(await timesToList(browser));
  const frames = await framesUnderLoad(browser, Number(flags.seconds));
  console.table({
    'orders in the store': Number(flags.orders),
    'list from a click, median ms': median(opens.map(({ warmMs }) => warmMs)),
    'list from nothing, median ms': median(opens.map(({ coldMs }) => coldMs)),
    'changes per second': frames.changesPerSecond,
    'frames per second': frames.framesPerSecond,
    [`frames over ${longFrameMs} ms`]: frames.long,
    'longest frame, ms': frames.longestMs,
    'files, gzipped KB': bundleKb(),
  });
} finally {
  await browser.close();
  await server.close();
  reeve.close();
  rmSync(directory, { recursive: true });
}

async function fill(count: number): Promise<void> {
  const batch = 500;
  for (let left = count; left > 0; left -= batch) {
    await Promise.all(
      Array.from({ length: Math.min(left, batch) }, () =>
        reeve.submission.submit({ workflow: 'chain', ...order }, 'bench'),
      ),
    );
  }
}

interface Opened {
  /** From the start of the page to the frame after it shows fifty orders, nothing cached. */
  readonly coldMs: number;
  /** From a click on Orders on another page to the same frame. */
  readonly warmMs: number;
}

async function timesToList(from: Browser): Promise<Opened> {
  const page = await from.newPage();
  // The page itself reports: Playwright's waiting would add a script that the page loads meanwhile.
  await page.addInitScript(`
    globalThis.reportWhenShown = (beginMs) => {
      const isShown = document.querySelectorAll('.orders tbody tr').length >= 50;
      const report = () => console.debug(performance.now() - beginMs);
      requestAnimationFrame(isShown ? report : () => reportWhenShown(beginMs));
    };
    reportWhenShown(0);
  `);
  const cold = shownMs(page);
  await page.goto(`${server.url}/#/orders`);
  const coldMs = await cold;
  await page.getByRole('link', { name: 'Agents', exact: true }).click();
  await page.getByRole('heading', { name: 'work' }).waitFor();
  await pause(500);
  const warm = shownMs(page);
  await page.evaluate(`
    reportWhenShown(performance.now());
    document.querySelector('.places a[href="#/orders"]').click();
  `);
  const warmMs = await warm;
  await page.context().close();
  return { coldMs, warmMs };
}

async function shownMs(page: Page): Promise<number> {
  const message = await page.waitForEvent('console', (event) => event.type() === 'debug');
  return Number(message.text());
}

async function framesUnderLoad(from: Browser, seconds: number) {
  const page = await from.newPage();
  await page.goto(`${server.url}/#/orders`);
  await page.locator('.live[data-connection="live"]').waitFor();
  await page.locator('.orders tbody tr').nth(49).waitFor();
  let changes = 0;
  const stop = reeve.watch(() => {
    changes += 1;
  });
  const [frames] = await Promise.all([framesOf(page, seconds), load(seconds)]);
  stop();
  return {
    changesPerSecond: Math.round(changes / seconds),
    framesPerSecond: Math.round(frames.length / seconds),
    long: frames.filter((ms) => ms > longFrameMs).length,
    longestMs: Math.round(Math.max(...frames)),
  };
}

/** The durations of the frames that the page drew, ms. */
async function framesOf(page: Page, seconds: number): Promise<number[]> {
  const lengths: unknown = await page.evaluate(`new Promise((resolve) => {
    const lengths = [];
    const begin = performance.now();
    let last = begin;
    const frame = (now) => {
      lengths.push(now - last);
      last = now;
      if (now - begin < ${seconds * 1_000}) requestAnimationFrame(frame);
      else resolve(lengths.slice(1));
    };
    requestAnimationFrame(frame);
  })`);
  return z.array(z.number()).parse(lengths);
}

async function load(seconds: number): Promise<void> {
  const ticksPerSecond = 20;
  const perTick = changesPerSecond / changesPerOrder / ticksPerSecond;
  let due = 0;
  for (let tick = 0; tick < seconds * ticksPerSecond; tick += 1) {
    for (due += perTick; due >= 1; due -= 1) {
      await reeve.submission.submit({ workflow: 'chain', ...order }, 'bench');
    }
    await pause(1_000 / ticksPerSecond);
  }
}

function median(values: readonly number[]): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0);
}

function bundleKb(): number {
  const bytes = readdirSync('lib/console/dist', { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => gzipSync(readFileSync(join(parentPath, name))).length);
  return Math.round(bytes.reduce((sum, size) => sum + size, 0) / 102.4) / 10;
}
