import { expect, test } from 'vitest';
import { httpsUrl, httpUrl } from '#core/codec/http-url.ts';

test.each([httpUrl, httpsUrl])('an address with a user is refused', (form) => {
  const fits = (url: string) => form.safeParse(url).success;
  expect(fits('https://shop.example/a@b')).toBe(true);
  expect(fits('https://user:word@shop.example/')).toBe(false);
  expect(fits('https://user@shop.example/')).toBe(false);
  expect(fits('shop.example')).toBe(false);
});
