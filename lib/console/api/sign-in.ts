/**
 * Sign-in with an OpenID provider: the authorization code flow with PKCE
 * (RFC 7636), for which a page needs no secret.
 */
import * as oauth from 'oauth4webapi';
import { tabStore } from '#console/parts/browser-store.ts';
import { after } from '#console/parts/server-clock.ts';
import { type Answer, failedRestMs, mayPass } from './answer.ts';
import { get } from './api-client.ts';

/** The provider and the client id, from the server. */
export interface SignIn {
  readonly issuer: string;
  readonly clientId: string;
  readonly scope: string;
}

/** The state stored during the redirect to the provider. */
interface Begun {
  readonly verifier: string;
  readonly state: string;
  /** The route to return to. */
  readonly hash: string;
}

const place = 'reeve-sign-in';
const returnTo = () => `${location.origin}/`;

const askServer = (): Promise<Answer<SignIn>> => get<SignIn>('/sign-in.json');

/**
 * Null when the server configures no provider. Asks until there is an answer: with a failure taken for "none", the page
 * would want a token, which users of a provider do not have, until it is reloaded.
 */
export async function offeredSignIn(): Promise<SignIn | null> {
  for (;;) {
    const answer = await askServer();
    if (answer.kind === 'ok') return answer.body;
    if (!mayPass(answer)) return null;
    await new Promise<void>((resolve) => after(failedRestMs, resolve));
  }
}

/** Why a sign-in gave no token, in a sentence for the user. */
class SignInError extends Error {
  override readonly name = 'SignInError';
}

export const signInFaultOf = (error: unknown): string =>
  error instanceof SignInError
    ? error.message
    : 'The sign-in failed. Try again, or ask the operator of this Reeve.';

/** Redirects to the provider. */
export async function beginSignIn({ issuer, clientId, scope }: SignIn): Promise<void> {
  const { authorization_endpoint: endpoint } = await providerOf(issuer);
  if (endpoint === undefined) throw new Error('The provider has no authorization endpoint.');
  const begun: Begun = {
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    hash: location.hash,
  };
  const isKept = tabStore.set(place, JSON.stringify(begun));
  if (!isKept) {
    throw new SignInError(
      'This browser blocks storage for this page, and a sign-in needs it. Allow it, then try again.',
    );
  }
  const url = new URL(endpoint);
  const question = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: returnTo(),
    scope,
    state: begun.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(begun.verifier),
    code_challenge_method: 'S256',
  };
  for (const [name, value] of Object.entries(question)) url.searchParams.set(name, value);
  location.assign(url);
}

/** The token after a redirect from the provider; null otherwise. */
export async function finishSignIn(): Promise<string | null> {
  const text = tabStore.get(place);
  if (text === null || !location.search.includes('state=')) return null;
  const { verifier, state, hash }: Begun = JSON.parse(text);
  const returned = new URL(location.href);
  // A code is valid once, so a reload must not use it again.
  tabStore.delete(place);
  history.replaceState(null, '', `/${hash}`);
  const offered = await askServer();
  // The page is drawn after this, so it does not wait for a server that does not answer.
  if (offered.kind !== 'ok') throw new Error('The server names no provider.');
  const provider = await providerOf(offered.body.issuer);
  const client: oauth.Client = { client_id: offered.body.clientId };
  const answered = oauth.validateAuthResponse(provider, client, returned, state);
  const response = await oauth.authorizationCodeGrantRequest(
    provider,
    client,
    oauth.None(),
    answered,
    returnTo(),
    verifier,
  );
  return (await oauth.processAuthorizationCodeResponse(provider, client, response)).access_token;
}

async function providerOf(issuer: string): Promise<oauth.AuthorizationServer> {
  const url = new URL(issuer);
  return oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url));
}
