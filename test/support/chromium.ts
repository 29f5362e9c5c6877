/** The system's Chromium, under Playwright. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/snap/bin/chromium',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export async function startChromium(): Promise<Browser> {
  const given = process.env['PLAYWRIGHT_CHROMIUM'];
  const executablePath = given ?? places.find((path) => existsSync(path));
  if (executablePath === undefined) {
    throw new Error(
      'There is no Chromium. Install it, on Debian with `apt-get install chromium`, or set PLAYWRIGHT_CHROMIUM to its path.',
    );
  }
  // Its sandbox needs rights that a container has not, and the only pages it opens are our own.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}
