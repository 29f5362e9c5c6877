/** The token for the API, kept in this tab only, until it is closed. */
import { signal } from '@preact/signals';

const place = 'reeve-token';

/** True when the API requires a token, or has refused the present one. */
export const tokenWanted = signal(false);
/** True when a sign-in returned without a token. */
export const signInFailed = signal(false);
/** Counts the tokens, so that waiting code can watch it. */
export const sessions = signal(0);

export function authorization(): Readonly<Record<string, string>> {
  const token = sessionStorage.getItem(place);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

export function wasRefused(): boolean {
  return sessionStorage.getItem(place) !== null;
}

export function giveToken(token: string): void {
  sessionStorage.setItem(place, token);
  tokenWanted.value = false;
  sessions.value += 1;
}
