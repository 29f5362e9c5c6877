/** Distinguishes bodies in which API Gateway replaced bytes that are not UTF-8 from bodies that the caller sent so. */
import { expect, test } from 'vitest';
import { withReplacedBytes } from '#aws/replaced-bytes.ts';

const replaced = '{"note":"\uFFFD"}';
const asReplaced = String(Buffer.byteLength(replaced));
const event = (body: string | null, sent?: string, isBase64Encoded = false) => ({
  body,
  isBase64Encoded,
  headers: {
    'content-type': 'application/json',
    ...(sent !== undefined && { 'content-length': sent }),
  },
});

test('a body of another length than was sent, with a replacement, becomes a body that is not UTF-8', () => {
  const given = event(replaced, '12');
  const body = Buffer.from([0xff]).toString('base64');
  expect(withReplacedBytes(given)).toEqual({ ...given, body, isBase64Encoded: true });
});

test.each<[string, object]>([
  ['a replacement that the caller sent', event(replaced, asReplaced)],
  ['another length without a replacement', event('{}', '12')],
  ['a length that the caller did not send', event(replaced)],
  ['base64', event(replaced, '12', true)],
  ['no body', event(null, '12')],
  ['no headers', { body: replaced, isBase64Encoded: false }],
  ['headers that are undefined', { ...event(replaced), headers: undefined }],
  ['neither body nor headers', { requestContext: {} }],
  ['headers alone', { headers: { 'content-length': '12' } }],
])('an event with %s is unchanged', (_, given) => {
  expect(withReplacedBytes(given)).toBe(given);
});
