/** Where a webhook may send status messages: what leaves the machine must be encrypted. */
import { httpUrl } from '#core/codec/http-url.ts';
import { isLoopback } from './loopback.ts';

/** An https URL, or one of this machine, without user and password. */
export const webhookAddress = httpUrl.refine((text) => {
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'));
}, 'must begin with https://');
