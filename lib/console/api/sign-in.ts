/**
 * Sign-in with an OpenID provider: the authorization code flow with PKCE
 * (RFC 7636), for which a page needs no secret.
 */
import * as oauth from 'oauth4webapi';

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

/** Null when the server configures no provider. */
export async function offeredSignIn(): Promise<SignIn | null> {
  const response = await fetch('/sign-in.json').catch(() => null);
  return response?.ok === true ? response.json().catch(() => null) : null;
}

/** Redirects to the provider. */
export async function beginSignIn({ issuer, clientId, scope }: SignIn): Promise<void> {
  const { authorization_endpoint: endpoint } = await providerOf(issuer);
  if (endpoint === undefined) throw new Error('The provider has no authorization endpoint.');
  const begun: Begun = {
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    hash: location.hash,
  };
  sessionStorage.setItem(place, JSON.stringify(begun));
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
  const text = sessionStorage.getItem(place);
  if (text === null || !location.search.includes('state=')) return null;
  const { verifier, state, hash }: Begun = JSON.parse(text);
  const returned = new URL(location.href);
  // A code is valid once, so a reload must not use it again.
  sessionStorage.removeItem(place);
  history.replaceState(null, '', `/${hash}`);
  const offered = await offeredSignIn();
  if (offered === null) return null;
  const provider = await providerOf(offered.issuer);
  const client: oauth.Client = { client_id: offered.clientId };
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
