/** How a page learns of the OpenID provider, and what it keeps. The page runs in a process of its own. */
import { expect, test } from 'vitest';
import { onPage } from './page.ts';

test.each([
  ['no answer', '() => { throw new TypeError("fetch failed"); }', true],
  ['a 502 of a gateway', '() => new Response("<html>", { status: 502 })', true],
  ['a page of a proxy', '() => new Response("<html>")', true],
  ['a 404', '() => Response.json({}, { status: 404 })', false],
  ['a 401', '() => Response.json({}, { status: 401 })', false],
])(
  'a server that gives %s instead of its provider is asked again: %s',
  async (_, answer, isAgain) => {
    const found = await onPage(`
    const { mock } = await import('node:test');
    const { offeredSignIn } = await import('#console/api/sign-in.ts');
    const turns = async () => {
      for (let at = 0; at < 5; at += 1) await new Promise((resolve) => setImmediate(resolve));
    };
    mock.timers.enable({ apis: ['setTimeout'] });
    let tries = 0;
    answers.set('/sign-in.json', () => {
      tries += 1;
      return tries === 1 ? (${answer})() : Response.json({ issuer: 'https://id.example' });
    });
    let offered;
    void offeredSignIn().then((signIn) => { offered = signIn; });
    await turns();
    const early = { tries, isKnown: offered !== undefined };
    mock.timers.tick(2_000);
    await turns();
    print({ early, tries, offered });
  `);
    expect(found).toEqual({
      early: { tries: 1, isKnown: !isAgain },
      tries: isAgain ? 2 : 1,
      offered: isAgain ? { issuer: 'https://id.example' } : null,
    });
  },
);

test('a page whose browser blocks storage keeps its token itself, and begins no sign-in that it could not finish', async () => {
  const found = await onPage(`
    const { beginSignIn, finishSignIn, signInFaultOf } = await import('#console/api/sign-in.ts');
    const { authorization } = await import('#console/api/session-token.ts');
    const { siteStore, tabStore } = await import('#console/parts/browser-store.ts');
    const refusal = () => { throw new DOMException('The operation is insecure.', 'SecurityError'); };
    sessionStorage.getItem = refusal;
    sessionStorage.setItem = refusal;
    const first = authorization();
    giveToken('token-1');
    answers.set('https://id.example/.well-known/openid-configuration', () => Response.json({
      issuer: 'https://id.example', authorization_endpoint: 'https://id.example/authorize',
    }));
    const provider = { issuer: 'https://id.example', clientId: 'console', scope: 'openid' };
    globalThis.location = { origin: 'http://reeve.example', hash: '#/orders', assign() { throw new Error('left'); } };
    const fault = await beginSignIn(provider).then(() => null, signInFaultOf);
    // This page has no storage of the site at all, which is an error too.
    const isKept = siteStore.set('theme', 'dark');
    const theme = siteStore.get('theme');
    siteStore.delete('theme');
    print({ first, second: authorization(), fault, isKept, theme, after: siteStore.get('theme') });
  `);
  expect(found).toEqual({
    first: {},
    second: { authorization: 'Bearer token-1' },
    fault: expect.stringContaining('This browser blocks storage'),
    isKept: false,
    theme: 'dark',
    after: null,
  });
});
