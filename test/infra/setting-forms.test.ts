import { expect, test } from 'vitest';
import { serviceUrl, webhookUrl } from '#infra/setting-forms.ts';

test.each([serviceUrl, webhookUrl])(
  'an address with a user is one that nobody can call',
  (form) => {
    const fits = (url: string) => form.safeParse(url).success;
    expect(fits('https://shop.example/a@b')).toBe(true);
    expect(fits('https://user:word@shop.example/')).toBe(false);
    expect(fits('https://user@shop.example/')).toBe(false);
    expect(fits('shop.example')).toBe(false);
  },
);
