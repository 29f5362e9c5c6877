/** The address of the API. */
import { ApiError } from './api-error.ts';

/** What the paths of the API are added to. @throws {ApiError} `url-invalid` */
export function baseOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  // No `fetch` sends them from an address; and the message must not have the password.
  if (url !== null && url.username + url.password !== '') {
    const message = `The address of ${url.host} must have no user name and no password. Give a token, or a \`fetch\` that sends them.`;
    throw new ApiError(message, { code: 'url-invalid', status: null });
  }
  if (url?.protocol === 'http:' || url?.protocol === 'https:') {
    return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
  }
  const message = `The address ${text} must begin with http:// or https://, such as http://127.0.0.1:4400.`;
  throw new ApiError(message, { code: 'url-invalid', status: null });
}
