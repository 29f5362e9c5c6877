/** Edges of a process: what is exported twice, secrets of every length, sockets of the dead, and listeners that stay. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { orderId } from '#core/model/ids.ts';
import { orderChanges } from '#runtime/local/order-changes.ts';
import { askForBackup, serveControl } from '#runtime/node/control-socket.ts';
import { loadDefinitions } from '#runtime/node/load-definitions.ts';
import { webhookSecrets } from '#runtime/node/webhook-signature.ts';
import { testLog } from '../support/log.ts';

const folder = () => mkdtempSync(join(inject('temporaryFolder'), 'edges-'));

test('what a module exports by itself and in a list is one definition', async () => {
  const file = join(folder(), 'workflows.mjs');
  const agent = '{ contract: { name: "pay" }, perform() {} }';
  writeFileSync(
    file,
    `export const shop = { fingerprint: 'f', steps: [] }, pay = ${agent};
     export const workflows = [shop], agents = [pay], other = 7, nothing = null;
     export default shop;`,
  );
  const { workflows, agents } = await loadDefinitions(file);
  expect([workflows.length, agents.length]).toEqual([1, 1]);
});

test.each([
  [23, false],
  [24, true],
  [64, true],
  [65, false],
])('a secret of %i bytes is accepted: %s', (bytes, isAccepted) => {
  const text = `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`;
  const read = () => webhookSecrets(text, 'The variable S');
  if (isAccepted) expect(read()).toHaveLength(1);
  else expect(read).toThrow('The variable S is no webhook secret');
});

test('the socket that a killed process has left is replaced', async () => {
  const path = join(folder(), 'control.sock');
  writeFileSync(path, '');
  const log = testLog();
  const asked: string[] = [];
  const close = serveControl({
    ...{ path, log },
    backup: async (to) => {
      asked.push(to);
    },
  });
  onTestFinished(() => {
    close();
    rmSync(path, { force: true });
  });
  await askForBackup(path, 'b.db');
  expect([asked, log.lines]).toEqual([['b.db'], []]);
});

test('a watch that ends leaves no listener, neither at the store nor at its signal', () => {
  let listeners = 0;
  const changes = orderChanges(() => {
    listeners += 1;
    return () => {
      listeners -= 1;
    };
  });
  const { signal } = new AbortController();
  const counts: string[] = [];
  const { addEventListener, removeEventListener } = signal;
  signal.addEventListener = (...given: Parameters<typeof addEventListener>) => {
    counts.push('added');
    addEventListener.apply(signal, given);
  };
  signal.removeEventListener = (...given: Parameters<typeof removeEventListener>) => {
    counts.push('removed');
    removeEventListener.apply(signal, given);
  };
  for (let round = 0; round < 2; round += 1) {
    const watches = [changes.watch(orderId('one'), signal), changes.watch(orderId('two'))];
    expect(listeners).toBe(1);
    for (const watch of watches) watch.stop();
    expect(listeners).toBe(0);
  }
  expect(counts).toEqual(['added', 'removed', 'added', 'removed']);
});
