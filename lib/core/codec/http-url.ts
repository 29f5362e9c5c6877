/** Schemas of configured addresses that Reeve calls. */
import * as z from 'zod';

/** `fetch` refuses URLs with a user or a password, and logs would contain them. */
const hasNoUser = (text: string) => {
  const url = URL.parse(text);
  return url !== null && url.username === '' && url.password === '';
};

function url(protocol: RegExp, form: string) {
  return z
    .url({ protocol, error: `must be a URL that begins with ${form}`, abort: true })
    .refine(hasNoUser, 'must have no user and no password');
}

/** An http or https URL without user and password. */
export const httpUrl = url(/^https?$/, 'http:// or https://');
/** An https URL without user and password. */
export const httpsUrl = url(/^https$/, 'https://');
