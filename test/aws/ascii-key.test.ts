import { expect, test } from 'vitest';
import { withAsciiKey } from '#aws/ascii-key.ts';

const event = (key: string) => ({ body: '{}', headers: { 'idempotency-key': key, host: 'ü' } });

test.each([
  ['ü', ','],
  ['a-ü', 'a-,'],
  ['a,\u{1f600}', 'a,,,'],
  ['\u0007', ','],
])('of the key %j no character is left that Hono would encode', (key, left) => {
  expect(withAsciiKey(event(key))).toEqual(event(left));
});

test.each<object>([
  event('order-7_A~!'),
  event('%C3%BC'),
  event(''),
  { headers: { host: 'ü' } },
  { headers: undefined },
  {},
])('%j is unchanged', (given) => {
  expect(withAsciiKey(given)).toBe(given);
});
