/** One Chromium for a file of tests, and pages in it that complain of nothing. */
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { startChromium } from '../support/chromium.ts';
import { startWorld, type World, type WorldOptions } from './world.ts';

export interface Stage {
  readonly world: World;
  /** A page at that address; the test fails if it logs an error. */
  open(hash?: string, options?: BrowserContextOptions): Promise<Page>;
}

/** To be called where tests are defined: begins before the first and ends after the last of them. */
export function stage(options: WorldOptions = {}): Stage {
  let browser: Browser | undefined;
  let started: World | undefined;
  beforeAll(async () => {
    [browser, started] = await Promise.all([startChromium(), startWorld(options)]);
  });
  afterAll(async () => {
    await browser?.close();
    await started?.close();
  });
  const world = () => {
    if (started === undefined) throw new Error('the world begins with the first test');
    return started;
  };
  return {
    get world() {
      return world();
    },
    async open(hash = '#/', options = {}) {
      const context = await browser?.newContext({ reducedMotion: 'reduce', ...options });
      const page = await context?.newPage();
      if (page === undefined) throw new Error('the browser begins with the first test');
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(String(error)));
      page.on('console', (message) => {
        // A refused request is logged by the browser itself.
        if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
          complaints.push(message.text());
        }
      });
      onTestFinished(async () => {
        await context?.close();
        expect(complaints).toEqual([]);
      });
      await page.goto(`${world().url}/${hash}`);
      return page;
    },
  };
}
