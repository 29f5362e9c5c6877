/** The token for the API, kept in this tab only, until it is closed. */
import { signal } from '@preact/signals';
import { tabStore } from '#console/parts/browser-store.ts';

const place = 'reeve-token';

/** True when the API requires a token, or has refused the present one. */
export const tokenWanted = signal(false);
/** Why the last sign-in gave no token, in a sentence; null: there was none, or it did. */
export const signInFault = signal<string | null>(null);
/** Counts the tokens, so that waiting code can watch it. */
export const sessions = signal(0);

/** As the API has them. A browser sends no request at all with others in a header, such as a space of no width from where it was copied. */
const form = /^[\x21-\x7e]+$/;

/** Empty without a token, and for a text that is none: then the API refuses the request, and the page asks again. */
export function authorization(): { readonly authorization?: string } {
  const token = tabStore.get(place);
  return token === null || !form.test(token) ? {} : { authorization: `Bearer ${token}` };
}

export function wasRefused(): boolean {
  return tabStore.get(place) !== null;
}

export function giveToken(token: string): void {
  tabStore.set(place, token);
  tokenWanted.value = false;
  sessions.value += 1;
}
