/** Where a webhook may send status messages. */
import { isLoopback } from './loopback.ts';

/** What is wrong with the address; null: nothing. Messages that leave the machine must be encrypted. */
export function addressFault(address: string): string | null {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return 'must be a URL that begins with http:// or https://';
  }
  // `fetch` refuses both, and logs would contain them.
  if (url.username !== '' || url.password !== '') return 'must have no user and no password';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return url.protocol === 'https:' || isLoopback(host) ? null : 'must begin with https://';
}
