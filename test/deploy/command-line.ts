/** The real command line against the deployed stack; only names under localhost are resolved for it. */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { operatorTools } from '#aws/operator/operator-tools.ts';
import { runCli } from '#cli/run-cli.ts';
import type { Deployed } from './deployed.ts';

/** Runs `reeve` with these arguments; returns its output. */
export async function commandLine(
  reeve: Deployed,
  ...words: readonly string[]
): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }> {
  const said = { stdout: '', stderr: '' };
  const never = () => Promise.reject(new Error('not in this test'));
  /** By the Host header, as everywhere here; the signature includes it. */
  const byHost: typeof fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input));
    const headers = Object.fromEntries(new Headers(init?.headers));
    if (!headers['authorization']?.startsWith('AWS4-HMAC-SHA256')) {
      throw new Error('the request is not signed');
    }
    const sent = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    const { status, body } = await reeve.api(
      init?.method ?? 'GET',
      `${pathname}${search}`,
      sent,
      headers,
    );
    return Response.json(body, { status });
  };
  const exitCode = await runCli(words, {
    env: {},
    stdout: (text) => {
      said.stdout += text;
    },
    stderr: (text) => {
      said.stderr += text;
    },
    stdin: never,
    readFile: (path) => readFile(path),
    fetch: never,
    terminal: () => null,
    sleep: async (ms) => {
      await sleep(ms);
    },
    random: () => 0,
    version: '0.0.0',
    now: () => Date.now(),
    aws: async () => operatorTools(byHost),
    data: never,
    start: never,
    dev: never,
    prove: never,
  });
  return { exitCode, ...said };
}
