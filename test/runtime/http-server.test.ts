import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type ApiServer, serveApi } from '#runtime/http-server.ts';
import { startLocalReeve } from '#runtime/local-reeve.ts';
import { startCommand } from '#runtime/start-command.ts';
import { systemClock } from '#runtime/system-clock.ts';
import { systemRandom } from '#runtime/system-ids.ts';
import { testLog } from '../support/log.ts';

async function served(port = 0): Promise<ApiServer> {
  const log = testLog();
  const reeve = await startLocalReeve({
    workflows: [],
    agents: [],
    path: ':memory:',
    clock: systemClock,
    random: systemRandom,
    breakerFor: () => ({ run: (call) => call() }),
    log,
  });
  onTestFinished(() => reeve.close());
  const options = { host: '127.0.0.1', port, token: null, clock: systemClock, log };
  const server = await serveApi(reeve, options);
  onTestFinished(() => server.close());
  return server;
}

function statusFor(url: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(`${url}/healthz`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
}

test('it answers on the address it names, under the names of loopback, and no other', async () => {
  const { url } = await served();
  const { port } = new URL(url);
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  expect(await statusFor(url, `localhost:${port}`)).toBe(200);
  expect(await statusFor(url, 'rebound.example')).toBe(403);
});

test('a port that is taken is refused, and told what to do', async () => {
  const { url } = await served();
  await expect(served(Number(new URL(url).port))).rejects.toThrow(/Choose another PORT/);
});

test.each([
  ['a bad environment', { PORT: 'x' }, /PORT/],
  ['an open address without a token', { HOST: '0.0.0.0' }, /REEVE_TOKEN/],
])('`reeve start` with %s says so and ends with 2', async (_, env, message) => {
  const data = mkdtempSync(join(tmpdir(), 'reeve-start-'));
  onTestFinished(() => rmSync(data, { recursive: true }));
  let told = '';
  const code = await startCommand({
    env: { REEVE_DATA: data, ...env },
    terminal: () => null,
    stdout: () => {},
    stderr: (text) => {
      told += text;
    },
    stopped: new Promise(() => {}),
  });
  expect(code).toBe(2);
  expect(told).toMatch(message);
});
