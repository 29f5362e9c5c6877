import { expect, test } from 'vitest';
import { ReeveError } from '#core/model/errors.ts';
import { readConfig } from '#runtime/local/config.ts';
import { isLoopback } from '#runtime/node/loopback.ts';

test('the default configuration is safe', () => {
  expect(readConfig({})).toMatchObject({
    HOST: '127.0.0.1',
    PORT: 4400,
    REEVE_DATA: '.reeve',
    REEVE_LOG: 'error',
    REEVE_KEEP_DAYS: 30,
    REEVE_SUPPLIERS_PORT: 4401,
  });
});

test.each([
  ['PORT', 'many'],
  ['PORT', '70000'],
  ['REEVE_LOG', 'loud'],
  ['REEVE_PAYMENT_URL', 'ftp://x'],
  ['REEVE_PAYMENT_URL', 'https://user:hunter2@pay.example'],
  ['REEVE_FRAUD_URL', 'https://user@fraud.example'],
  ['REEVE_KEEP_DAYS', '0'],
])('%s=%s is refused by name', (name, value) => {
  expect(() => readConfig({ [name]: value })).toThrow(new RegExp(name));
});

test.each([
  ['PORT', '0x10', 'must be a whole number from 0 to 65535'],
  ['PORT', '65536', 'must be a whole number from 0 to 65535'],
  ['PORT', '', 'must be a whole number from 0 to 65535'],
  ['REEVE_KEEP_DAYS', '1e1', 'must be a whole number from 1 to 3650'],
  ['REEVE_KEEP_DAYS', ' 5', 'must be a whole number from 1 to 3650'],
  ['REEVE_LOG', 'loud', 'must be one of info, warn, error, silent'],
  ['REEVE_TENANT_WEIGHTS', '[4]', 'must be JSON such as {"inn":4}'],
  ['REEVE_TENANT_WEIGHTS', '{"inn":4', 'must be JSON such as {"inn":4}'],
  ['REEVE_PAYMENT_URL', 'pay', 'must be a URL that begins with http:// or https://'],
  ['REEVE_PAYMENT_URL', 'https://ada:x@pay.example', 'must have no user and no password'],
])('%s=%s is refused with a sentence', (name, value, message) => {
  expect(() => readConfig({ [name]: value })).toThrow(
    new ReeveError('config-invalid', `Invalid environment: \`${name}\` ${message}.`),
  );
});

test.each(['0', '101', '"4"', 'null'])('the weight %s of a tenant is refused', (weight) => {
  const refused = () => readConfig({ REEVE_TENANT_WEIGHTS: `{"inn":${weight}}` });
  expect(refused).toThrow('`REEVE_TENANT_WEIGHTS.inn` must be a number from 0.01 to 100');
});

test('a tenant of any name has its weight', () => {
  const { REEVE_TENANT_WEIGHTS: weights } = readConfig({
    REEVE_TENANT_WEIGHTS: '{"inn":4,"*":0.5,"__proto__":100}',
  });
  expect([...(weights ?? [])]).toEqual([
    ['inn', 4],
    ['*', 0.5],
    ['__proto__', 100],
  ]);
});

test('one error names every invalid variable', () => {
  expect(() => readConfig({ PORT: 'x', REEVE_LOG: 'y' })).toThrow(/PORT.*REEVE_LOG/);
});

test('no error message contains a secret', () => {
  const secret = 'hunter2';
  const refused = () => readConfig({ REEVE_TOKEN: secret });
  expect(refused).toThrow(/REEVE_TOKEN/);
  expect(refused).not.toThrow(new RegExp(secret));
});

test('an address other than loopback requires the file of tokens', () => {
  expect(() => readConfig({ HOST: '0.0.0.0' })).toThrow(/REEVE_TOKENS/);
  expect(() => readConfig({ HOST: '0.0.0.0', REEVE_TOKEN: 'x' })).toThrow(/REEVE_TOKENS/);
  expect(readConfig({ HOST: '0.0.0.0', REEVE_TOKENS: 'tokens.json' }).HOST).toBe('0.0.0.0');
});

test('REEVE_TOKEN without a file of tokens is refused', () => {
  expect(() => readConfig({ REEVE_TOKEN: 'x' })).toThrow(/REEVE_TOKENS/);
  const both = { REEVE_TOKEN: 'x', REEVE_TOKENS: 'tokens.json' };
  expect(readConfig(both).REEVE_TOKENS).toBe('tokens.json');
});

test('an empty REEVE_TOKEN is no token, as for the command line', () => {
  expect(readConfig({ REEVE_TOKEN: '' })).toEqual(readConfig({}));
});

test.each([
  ['127.0.0.1', true],
  ['127.8.4.2', true],
  ['localhost', true],
  ['::1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['127.evil.example', false],
  ['10.0.0.1', false],
])('%s is loopback: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

test('the address of a service is accepted without a final slash', () => {
  const { REEVE_PAYMENT_URL } = readConfig({ REEVE_PAYMENT_URL: 'https://pay.example/v1//' });
  expect(REEVE_PAYMENT_URL).toBe('https://pay.example/v1');
});
