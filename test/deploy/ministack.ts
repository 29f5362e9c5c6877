/**
 * MiniStack: the services of AWS in one process, so that the unmodified CDK deploys the unmodified app
 * and the real bundles run. Installed from PyPI into the cache of node_modules, pinned.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/dynamo-server.ts';

const version = '1.4.21';
const home = resolve('node_modules', '.cache', `ministack-${version}`);

export interface MiniStack {
  readonly endpoint: string;
  readonly port: number;
  /** For everything that speaks to it: endpoint, region, dummy credentials. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: string;
  close(): Promise<void>;
}

/** Creates the Python environment unless it is there. */
function install(): void {
  if (existsSync(join(home, 'bin', 'ministack'))) return;
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home, { recursive: true });
  try {
    execFileSync('python3', ['-m', 'venv', home], { stdio: 'pipe' });
    const pip = ['install', '--quiet', '--disable-pip-version-check', `ministack==${version}`];
    execFileSync(join(home, 'bin', 'pip'), pip, { stdio: 'pipe' });
  } catch (cause) {
    rmSync(home, { recursive: true, force: true });
    const why = cause instanceof Error && 'stderr' in cause ? String(cause.stderr) : String(cause);
    throw new Error(
      `The deploy test needs Python 3 with venv, and MiniStack ${version} from PyPI. Could not install it: ${why}`,
      { cause },
    );
  }
}

export async function startMiniStack(): Promise<MiniStack> {
  install();
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
  const server = spawn(join(home, 'bin', 'ministack'), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      // Functions run on the node that is first here: the one of this test.
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
    },
  });
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

/** It ends the functions it runs when it is asked to; what does not heed is killed. */
async function stop(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null) return;
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  const late = sleep(10_000, 'late', { ref: false });
  if ((await Promise.race([ended, late])) === 'late') {
    server.kill('SIGKILL');
    await ended;
  }
}
