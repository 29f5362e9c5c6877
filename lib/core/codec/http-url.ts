/** Addresses that Reeve is configured to call. */
import * as z from 'zod';

/** `fetch` refuses an address with a user or a password, and logs would show them. */
const hasNoUser = (text: string) => {
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '';
};

function url(protocol: RegExp, form: string) {
  return z
    .url({ protocol, error: `must be a URL that begins with ${form}`, abort: true })
    .refine(hasNoUser, 'must have no user and no password');
}

export const httpUrl = url(/^https?$/, 'http:// or https://');
export const httpsUrl = url(/^https$/, 'https://');
