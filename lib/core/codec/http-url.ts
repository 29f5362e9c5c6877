/** Schemas of configured addresses that Reeve calls, or that it allows a page to call. */
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

/** Of a host as browsers write it. URLs allow others, such as ";" and "*", which would have a meaning in a header with the origin. */
const hostForm = /^[a-z0-9.-]+$/;

const mustBeOrigin =
  'must be an https origin such as https://shop.example.com, in lower case and without a path';
/** As a browser writes it: headers of pages contain it unchanged. */
export const httpsOrigin = z
  .string()
  .refine(
    (text) => /^https:\/\/[a-z0-9.-]+(:\d{1,5})?$/.test(text) && URL.canParse(text),
    mustBeOrigin,
  );

const mustBeIssuer =
  'must be an https address with a host of a-z, 0-9, "-" and ".", and without query, fragment or user';
/**
 * An OpenID provider, as its tokens name it; headers of pages contain its origin. API Gateway reads its keys below
 * `/.well-known/`, so the path must be its end. OpenID Connect Discovery, Provider Metadata: https, with neither query
 * nor fragment.
 */
export const issuer = z
  .url({ protocol: /^https$/, hostname: hostForm, error: mustBeIssuer, abort: true })
  .regex(/^https:\/\/[^?#@]+$/, mustBeIssuer);
