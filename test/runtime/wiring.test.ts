/** What the environment says reaches what it is about: the options of a start, and the addresses of the services. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { configuredOptions } from '#runtime/command/configured-options.ts';
import { needsSuppliers, serviceUrls } from '#runtime/command/shipped-orders.ts';
import { readConfig } from '#runtime/local/config.ts';
import { checkedNumbers } from '#runtime/local/option-checks.ts';

test('each variable of a start reaches Reeve, in the unit of its option', () => {
  const folder = mkdtempSync(join(inject('temporaryFolder'), 'wiring-'));
  const channels = join(folder, 'channels.json');
  writeFileSync(
    channels,
    JSON.stringify({ mail: { kind: 'webhook', url: 'https://x.example', secretVariable: 'S' } }),
  );
  const env = {
    ...{ REEVE_DATA: folder, REEVE_CHANNELS: channels, S: `whsec_${'A'.repeat(32)}` },
    ...{ REEVE_TENANT_WEIGHTS: '{"inn":4}', REEVE_KEEP_DAYS: '2', REEVE_BACKLOG_MAX: '7' },
  };
  expect(configuredOptions(readConfig(env), env)).toEqual({
    ...{ path: join(folder, 'reeve.db'), keepEndedMs: 2 * 86_400_000, backlogMaxMs: 7_000 },
    responseChannels: { mail: expect.any(Function) },
    tenantWeights: new Map([['inn', 4]]),
  });
});

test('without variables a start has the defaults of its options', () => {
  const { keepEndedMs, backlogMaxMs } = checkedNumbers({});
  expect(configuredOptions(readConfig({}), {})).toMatchObject({ keepEndedMs, backlogMaxMs });
});

const names = ['fraud', 'inventory', 'payment', 'shipping'] as const;
const subsets = Array.from({ length: 16 }, (_, bits) => names.filter((_, at) => bits & (2 ** at)));

test.each(subsets.map((own) => [own]))(
  'with the addresses of %j the other services are simulated',
  (own) => {
    const config = readConfig(
      Object.fromEntries(
        own.map((name) => [`REEVE_${name.toUpperCase()}_URL`, `http://own-${name}`]),
      ),
    );
    expect(needsSuppliers(config)).toBe(own.length < 4);
    const urls = serviceUrls(config, own.length < 4 ? 'http://suppliers' : null);
    for (const name of names) {
      const simulated = `http://suppliers/${name}`;
      expect(urls[name]).toBe(own.includes(name) ? `http://own-${name}` : simulated);
    }
  },
);
