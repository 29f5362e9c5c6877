import { readFileSync } from 'node:fs';
import { afterEach, expect, test, vi } from 'vitest';
import {
  consoleVariables,
  readConfig,
  readyVariables,
  responseVariables,
  serviceVariables,
  storeVariables,
} from '../../lambdas/config.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

const store = {
  REEVE_ORDERS_TABLE: 'orders',
  REEVE_PROCESSES_TABLE: 'processes',
  REEVE_SHARDS: '2',
  REEVE_SWEEP_SECONDS: '60',
  REEVE_KEEP_DAYS: '30',
};

function environment(variables: Readonly<Record<string, string>>) {
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
}

test('a function gets the variables that it names, with their types', () => {
  environment({ ...store, REEVE_QUEUES: 'https://sqs/1/shop', REEVE_PRIORITIES: 'high,normal' });
  expect(readConfig({ ...storeVariables, ...readyVariables })).toEqual({
    ...store,
    REEVE_SHARDS: 2,
    REEVE_SWEEP_SECONDS: 60,
    REEVE_KEEP_DAYS: 30,
    REEVE_QUEUES: 'https://sqs/1/shop',
    REEVE_PRIORITIES: ['high', 'normal'],
  });
});

test('every invalid variable is named, and the function does not start', () => {
  environment({ ...store, REEVE_SHARDS: 'two', REEVE_PRIORITIES: 'urgent' });
  const read = () => readConfig({ ...storeVariables, ...readyVariables });
  for (const name of ['REEVE_SHARDS', 'REEVE_QUEUES', 'REEVE_PRIORITIES']) {
    expect(read).toThrow(name);
  }
});

test.each(['0', '-1', '0x10', '1e3', '1e300', '2.5', ' 5 ', '', 'true', 'NaN', '9'.repeat(400)])(
  'a count of %j is refused',
  (text) => {
    environment({ ...store, REEVE_SHARDS: text });
    expect(() => readConfig(storeVariables)).toThrow(
      '`REEVE_SHARDS` must be a whole number from 1 to 1000000',
    );
  },
);

test('a text that is not JSON is refused', () => {
  environment({ REEVE_RESPONSE_CHANNELS: 'a=b' });
  expect(() => readConfig(responseVariables)).toThrow('`REEVE_RESPONSE_CHANNELS` must be JSON');
});

test('the address of a service has no slash at its end', () => {
  environment({ REEVE_SERVICE_URL: 'https://payment.example.com/v1/' });
  expect(readConfig(serviceVariables)).toEqual({
    REEVE_SERVICE_URL: 'https://payment.example.com/v1',
  });
});

test('docs/aws.md has each variable, for those who deploy by other tools', () => {
  const page = readFileSync('docs/aws.md', 'utf8');
  const variables = new Set(readFileSync('lambdas/config.ts', 'utf8').match(/\bREEVE_[A-Z_]+/g));
  // Those of the shipped agents are for them alone.
  variables.delete('REEVE_SERVICE_URL');
  expect(variables.size).toBeGreaterThan(20);
  expect([...variables].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

const provider = { issuer: 'https://id.example.com/pool', clientId: 'c-1', scope: 'openid' };

test.each<[string, object, boolean]>([
  ['no origin of its own', { tokenOrigin: null }, true],
  ['an origin', { tokenOrigin: 'https://auth.example.com:8443' }, true],
  ['a path', { tokenOrigin: 'https://auth.example.com/oauth2' }, false],
  ['a directive', { tokenOrigin: 'https://auth.example.com;script-src' }, false],
  ['an issuer with a directive', { issuer: 'https://id.example.com;script-src' }, false],
])('the policy of the pages gets nothing but origins: %s', (_, given, isAccepted) => {
  environment({ REEVE_CONSOLE: JSON.stringify({ ...provider, tokenOrigin: null, ...given }) });
  const read = () => readConfig(consoleVariables);
  if (isAccepted) expect(read()).toMatchObject({ REEVE_CONSOLE: { ...provider, ...given } });
  else expect(read).toThrow(/`REEVE_CONSOLE\.(tokenOrigin|issuer)` must be/);
});
