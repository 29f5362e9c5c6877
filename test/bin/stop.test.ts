/** SIGTERM ends the process at any time. */

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { noServices, reeveChild, servicesAt, submitOrder } from '../support/reeve-child.ts';
import { within } from '../support/within.ts';

/** Far above the usual time, so that a busy machine does not matter: the defect never ended. */
const endsWithinMs = 10_000;

function directory(): string {
  const path = mkdtempSync(join(tmpdir(), 'reeve-stop-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

/** Accepts every connection, and never answers. */
async function hangingService(): Promise<string> {
  const server = createServer(() => {}).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('It has no port.');
  return `http://127.0.0.1:${address.port}`;
}

test.each([100, 300, 500, 800])('while it starts, %i ms after its beginning', async (ms) => {
  const reeve = reeveChild({ dataDir: directory() });
  await pause(ms);
  reeve.kill('SIGTERM');
  // Before the process listens for signals, the signal itself ends it.
  expect([0, 'SIGTERM']).toContain(await within(endsWithinMs, reeve.ended));
  expect(reeve.stderr()).toBe('');
});

test('while services hang, and followers listen', async () => {
  const reeve = reeveChild({ dataDir: directory(), env: servicesAt(await hangingService()) });
  const url = await reeve.url;
  const followers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${url}/events`)));
  expect(typeof (await submitOrder(url, 'one'))).toBe('string');
  await pause(100);
  reeve.kill('SIGTERM');
  // Before the deadlines of the calls, which would also end them.
  expect(await within(3_000, reeve.ended)).toBe(0);
  expect(reeve.stderr()).toBe('');
  await Promise.allSettled(followers.map(({ body }) => body?.cancel()));
});

test('a start that cannot have its port ends with 2', async () => {
  const taken = new URL(await hangingService()).port;
  const reeve = reeveChild({ dataDir: directory(), env: { ...noServices, PORT: taken } });
  expect(await within(endsWithinMs, reeve.ended)).toBe(2);
  expect(reeve.stderr()).toMatch(/Choose another port \(PORT, .*\(port-taken\)\n$/);
});

test.each(['/proc/reeve', '/proc/reeve/data', '/dev/null/data'])(
  'a start whose folder cannot be created, %s, ends with 2',
  async (dataDir) => {
    const reeve = reeveChild({ dataDir });
    expect(await within(endsWithinMs, reeve.ended)).toBe(2);
    expect(reeve.stderr()).toMatch(/^Cannot make the folder \S+: .* \(data-unusable\)\n$/);
  },
);
