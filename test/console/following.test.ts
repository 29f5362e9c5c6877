/** How a page follows the orders: which connections it makes, over a real API. The page runs in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { expect, onTestFinished, test } from 'vitest';
import { problem } from '#http/problem.ts';
import { identified, operator, scenario } from '../http/scenario.ts';
import { onLoopback } from '../support/loopback.ts';

/** What a browser has and Node has not. `asked`: the paths of all requests. `answers`: by path, in place of the server. */
const browser = (url: string) => `
  const kept = new Map();
  const asked = [];
  const answers = new Map();
  const overNetwork = fetch;
  const browser = {
    document: { visibilityState: 'visible', addEventListener() {} },
    sessionStorage: { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text) },
    async fetch(path, init) {
      asked.push(path);
      return answers.get(path)?.() ?? overNetwork(${JSON.stringify(url)} + path, init);
    },
  };
  for (const [name, value] of Object.entries(browser)) Object.defineProperty(globalThis, name, { value });
  const { effect } = await import('@preact/signals');
  const { connection, follow, startFollowing } = await import('#console/api/live.ts');
  const { giveToken, tokenWanted } = await import('#console/api/session-token.ts');
  const { principal, startKnowing } = await import('#console/api/signed-in.ts');
  const until = (isSo) => new Promise((resolve) => {
    effect(() => { if (isSo()) resolve(); });
  });
`;

/** What the page prints with `print`, a JSON text. */
async function onPage(code: string): Promise<unknown> {
  const { app } = await scenario((ports) => ({
    ...ports,
    guard: {
      hosts: null,
      identify: ({ authorization }) => {
        const [, name] = /^Bearer (token-.+)$/.exec(authorization) ?? [];
        return name === undefined ? { kind: 'unknown' } : identified({ ...operator, name });
      },
      pages: new Set(),
    },
  }));
  const server = await onLoopback(createServer(getRequestListener(app.fetch)));
  onTestFinished(() => server.close());
  const page = `${browser(server.url)}
    const print = (found) => process.stdout.write(JSON.stringify(found), () => process.exit(0));
    ${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', page], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await once(child, 'close');
  return JSON.parse(printed);
}

test('each sign-in connects once, whatever a follower reads when it is refreshed', async () => {
  const found = await onPage(`
    startFollowing();
    startKnowing();
    const connections = [];
    await until(() => tokenWanted.value);
    for (const token of ['token-1', 'token-2', 'token-3']) {
      asked.length = 0;
      connection.value = 'connecting';
      giveToken(token);
      await until(() => connection.value === 'live' && principal.value?.name === token);
      // What else the change of the principal begins.
      await new Promise((resolve) => setImmediate(resolve));
      connections.push(asked.filter((path) => path === '/events').length);
    }
    print(connections);
  `);
  expect(found).toEqual([1, 1, 1]);
});

const refusedStream = JSON.stringify(problem('followers-full', 'Too many are open.'));

test.each([
  ['Reeve, which has too many streams, is polled and not offline', refusedStream, 'connecting'],
  ['a gateway is shown as offline', '<html>Service Unavailable</html>', 'offline'],
])('a page whose event stream is refused with 503 by %s', async (_, body, expected) => {
  const found = await onPage(`
    giveToken('token-1');
    answers.set('/events', () => new Response(${JSON.stringify(body)}, { status: 503 }));
    const seen = new Set();
    let refreshed = 0;
    follow({ refresh: () => { refreshed += 1; } });
    effect(() => { seen.add(connection.value); });
    startFollowing();
    const first = refreshed;
    while (asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
    print({ seen: [...seen].at(-1), isPolled: refreshed > first });
  `);
  expect(found).toEqual({ seen: expected, isPolled: expected === 'connecting' });
});
