/**
 * MiniStack: the services of AWS in one process, so that the unmodified CDK deploys the unmodified app and the real
 * bundles run. Installed from PyPI into the cache of node_modules, pinned.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/dynamo-server.ts';
import { pythonTools } from '../support/python-tools.ts';

/** MiniStack, changed only in how its HTTP APIs authorise by IAM. */
const withIam = join(import.meta.dirname, 'ministack-with-iam.py');

const ministack = { package: 'ministack', version: '1.4.21' };

export interface MiniStack {
  readonly endpoint: string;
  readonly port: number;
  /** For everything that speaks to it: endpoint, region, dummy credentials. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: string;
  close(): Promise<void>;
}

export interface MiniStackOptions {
  /** `as-lambda`: concurrent batches up to the maximum of each queue (pollers.py). @default one batch at a time, of all queues */
  readonly pollers?: 'as-lambda';
}

export async function startMiniStack({ pollers }: MiniStackOptions = {}): Promise<MiniStack> {
  const python = pythonTools(ministack, 'python');
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const data = mkdtempSync(join(tmpdir(), 'reeve-ministack-'));
  const log = join(data, 'ministack.log');
  const env = {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: 'us-east-1',
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    CDK_DEFAULT_ACCOUNT: '000000000000',
    CDK_DEFAULT_REGION: 'us-east-1',
  };
  const server = spawn(python, [withIam], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: {
      // Functions run on the first node in the path: the one of this test.
      PATH: process.env['PATH'] ?? '',
      HOME: data,
      GATEWAY_PORT: String(port),
      BIND_HOST: '127.0.0.1',
      // Deployed APIs answer to names under it.
      MINISTACK_HOST: 'localhost',
      STATE_DIR: join(data, 'state'),
      S3_DATA_DIR: join(data, 's3'),
      SFTP_ENABLED: '0',
      IOT_MTLS_ENABLED: '0',
      LOG_LEVEL: 'WARNING',
      PYTHONDONTWRITEBYTECODE: '1',
      ...(pollers !== undefined && { QUEUE_POLLERS: pollers }),
    },
  });
  // Also when the test run is aborted: no process keeps running.
  const onExit = () => killGroup(server);
  process.once('exit', onExit);
  const file = createWriteStream(log);
  server.stdout.pipe(file);
  server.stderr.pipe(file);
  await answering(server, `${endpoint}/_ministack/health`);
  return {
    endpoint,
    port,
    env,
    log,
    async close() {
      await stop(server);
      process.off('exit', onExit);
      file.end();
      rmSync(data, { recursive: true, force: true });
    },
  };
}

async function answering(server: ChildProcess, url: string): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    if (server.exitCode !== null) throw new Error(`MiniStack ended with ${server.exitCode}`);
    const answer = await fetch(url).catch(() => null);
    if (answer?.ok) return;
    await sleep(100);
  }
  await stop(server);
  throw new Error(`MiniStack does not answer at ${url}`);
}

/** On request it ends the functions it runs; processes that ignore it are killed with the group. */
async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await Promise.race([ended, sleep(10_000, undefined, { ref: false })]);
  killGroup(server);
  if (server.exitCode === null && server.signalCode === null) await ended;
}

/** The server and its functions, which form one process group. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    const isGone = error instanceof Error && 'code' in error && error.code === 'ESRCH';
    if (!isGone) throw error;
  }
}
