/** A page of the console in a process of its own, over a real API. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { onTestFinished } from 'vitest';
import { identified, operator, scenario } from '../http/scenario.ts';
import { onLoopback } from '../support/loopback.ts';

/** What a browser has and Node has not. `asked`: the paths of all requests. `answers`: by path, in place of the server, with what is sent. */
const browser = (url: string, visibilityState: 'visible' | 'hidden') => `
  const kept = new Map();
  const asked = [];
  const answers = new Map();
  const overNetwork = fetch;
  const browser = {
    document: { visibilityState: '${visibilityState}', addEventListener() {} },
    sessionStorage: { getItem: (key) => kept.get(key) ?? null, setItem: (key, text) => kept.set(key, text) },
    async fetch(path, init) {
      asked.push(path);
      return answers.get(path)?.(init) ?? overNetwork(${JSON.stringify(url)} + path, init);
    },
  };
  for (const [name, value] of Object.entries(browser)) Object.defineProperty(globalThis, name, { value });
  const { effect } = await import('@preact/signals');
  const { connection, follow, startFollowing } = await import('#console/api/live.ts');
  const { get, isAnswering, request } = await import('#console/api/api-client.ts');
  const { giveToken, tokenWanted } = await import('#console/api/session-token.ts');
  const { principal, startKnowing } = await import('#console/api/signed-in.ts');
  const until = (isSo) => new Promise((resolve) => {
    effect(() => { if (isSo()) resolve(); });
  });
`;

/** What the page prints with `print`, a JSON text. `opened`: in the foreground, or in the background. */
export async function onPage(
  code: string,
  opened: 'visible' | 'hidden' = 'visible',
): Promise<unknown> {
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
  const page = `${browser(server.url, opened)}
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
