/** An OpenID provider that accepts every user, as far as the console needs one: with PKCE, and codes for one use. */
import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { cors } from 'hono/cors';

export interface Provider {
  readonly issuer: string;
  /** From now on it refuses, or no more. */
  refuse(refuses: boolean): void;
  close(): Promise<void>;
}

/** @param token the token of every user */
export async function startProvider(token: string, clientId: string): Promise<Provider> {
  const app = new Hono();
  const codes = new Map<string, { readonly challenge: string; readonly returnTo: string }>();
  let refuses = false;
  let issuer = '';
  app.use(cors());
  app.get('/.well-known/openid-configuration', (context) =>
    context.json({
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
    }),
  );
  app.get('/authorize', (context) => {
    const asked = context.req.query();
    const returnTo = asked['redirect_uri'] ?? '';
    const challenge = asked['code_challenge'] ?? '';
    const isRight =
      asked['client_id'] === clientId &&
      asked['response_type'] === 'code' &&
      asked['code_challenge_method'] === 'S256';
    if (!isRight) return context.text('not a question of the console', 400);
    const url = new URL(returnTo);
    url.searchParams.set('state', asked['state'] ?? '');
    if (refuses) {
      url.searchParams.set('error', 'access_denied');
    } else {
      const code = randomUUID();
      codes.set(code, { challenge, returnTo });
      url.searchParams.set('code', code);
    }
    return context.redirect(url.href);
  });
  app.post('/token', async (context) => {
    const given = await context.req.parseBody();
    const code = String(given['code']);
    const known = codes.get(code);
    codes.delete(code);
    const verifier = createHash('sha256').update(String(given['code_verifier']));
    const isRight =
      known?.challenge === verifier.digest('base64url') &&
      known.returnTo === given['redirect_uri'] &&
      given['client_id'] === clientId;
    return isRight
      ? context.json({ access_token: token, token_type: 'Bearer', expires_in: 3_600 })
      : context.json({ error: 'invalid_grant' }, 400);
  });
  const server = createAdaptorServer({
    fetch: app.fetch,
    createServer,
    serverOptions: selfSigned(),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the provider has no port');
  issuer = `https://127.0.0.1:${address.port}`;
  return {
    issuer,
    refuse: (value) => {
      refuses = value;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      if ('closeAllConnections' in server) server.closeAllConnections();
      await closed;
    },
  };
}

/** Providers speak TLS alone, and the browser is told to believe this one. */
function selfSigned(): { readonly key: Buffer; readonly cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-provider-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const words = `req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=127.0.0.1 -keyout ${key} -out ${cert}`;
  try {
    execFileSync('openssl', words.split(' '), { stdio: 'pipe' });
    return { key: readFileSync(key), cert: readFileSync(cert) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
