/** The API's token, where it needs one: kept until this tab is closed, and nowhere else. */
import { signal } from '@preact/signals';

const place = 'reeve-token';

/** The API asked for a token, or refused the one it was given. */
export const tokenWanted = signal(false);
/** Somebody came back from signing in without a token. */
export const signInFailed = signal(false);
/** Counts the tokens given: whoever waits for one watches it. */
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
