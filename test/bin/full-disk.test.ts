/** Real processes on a full disk: accepted orders are kept, and each process ends. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { hasOrders, noServices, reeveChild, submitOrder } from '../support/reeve-child.ts';
import { smallDisk } from '../support/small-disk.ts';
import { within } from '../support/within.ts';

/** Far above the usual time, so that a busy machine does not matter: the defect never ended. */
const endsWithinMs = 10_000;
const isAccepted = (answer: string | number) => typeof answer === 'string';

test('a start on a full disk, with live orders, ends with 2 and releases the data', async () => {
  const disk = smallDisk(4);
  const options = { dataDir: disk.path, env: { ...noServices, REEVE_LOG: 'error' } };
  const first = reeveChild(options);
  const url = await first.url;
  const ids: string[] = [];
  for (let at = 0; at < 20; at += 1) ids.push(String(await submitOrder(url, `order-${at}`)));
  first.kill('SIGTERM');
  expect(await first.ended).toBe(0);

  disk.fill();
  const full = reeveChild({ ...options, run: disk.full });
  expect(await within(endsWithinMs, full.ended)).toBe(2);
  expect(full.stderr()).toMatch(/\((store-full|store-unavailable)\)$/m);
  expect(full.stderr()).not.toMatch(/tried again|^ +at /m);

  disk.free();
  expect(await hasOrders(await reeveChild(options).url, ids)).toBe(true);
});

test('while its disk is full, Reeve refuses orders with 503 and continues by itself when there is space', async () => {
  const disk = smallDisk(4);
  const options = { dataDir: disk.path, env: { ...noServices, REEVE_LOG: 'silent' } };
  const reeve = reeveChild(options);
  const url = await reeve.url;
  const answers = [await submitOrder(url, 'before')];
  const submitUntil = async (wanted: (answer: string | number) => boolean) => {
    do answers.push(await submitOrder(url, `order-${answers.length}`));
    while (!wanted(answers.at(-1) ?? 0));
  };

  disk.fill(reeve.pid);
  await submitUntil((answer) => answer === 503);
  disk.free(reeve.pid);
  await submitUntil(isAccepted);
  disk.fill(reeve.pid);
  await submitUntil((answer) => answer === 503);
  reeve.kill('SIGTERM');
  expect(await within(endsWithinMs, reeve.ended)).toBe(0);

  disk.free();
  const accepted = answers.filter((answer) => typeof answer === 'string');
  expect(await hasOrders(await reeveChild(options).url, accepted)).toBe(true);
});

test('a full disk is one line of the log and a degraded health, until it has space, without any order', async () => {
  const disk = smallDisk(4);
  const reeve = reeveChild({ dataDir: disk.path, env: noServices });
  const url = await reeve.url;
  const health = async () => {
    const response = await fetch(`${url}/healthz`);
    return [response.status, await response.json()];
  };
  const becomes = async (status: number) => {
    for (;;) {
      const [found, document] = await health();
      if (found === status) return document;
      await pause(50);
    }
  };
  disk.fill(reeve.pid);
  const code = /^store-(full|unavailable)$/;
  let at = 0;
  while ((await submitOrder(url, `order-${at}`)) !== 503) at += 1;
  for (let more = 0; more < 10; more += 1) await submitOrder(url, `more-${more}`);
  const causes = expect.arrayContaining([expect.stringMatching(code)]);
  expect(await becomes(503)).toMatchObject({ status: 'degraded', causes });
  disk.free(reeve.pid);
  expect(await within(endsWithinMs, becomes(200))).toMatchObject({ causes: [] });
  const events = reeve
    .stderr()
    .trim()
    .split('\n')
    .map((line) => z.object({ event: z.string() }).parse(JSON.parse(line)).event);
  // Work on the accepted orders may find a little space and lose it again; each time logs a pair of lines.
  expect(events.filter((event) => code.test(event)).length).toBeLessThanOrEqual(
    events.filter((event) => event === 'store-writable').length,
  );
  expect(events).not.toContain('request-failed');
  expect(events).not.toContain('sweep-failed');
  reeve.kill('SIGTERM');
  expect(await reeve.ended).toBe(0);
});
