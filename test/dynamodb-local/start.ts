/** Amazon's DynamoDB Local, installed from Maven Central into the cache of node_modules. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type DynamoServer, freePort, started } from '../support/dynamo-server.ts';

const here = import.meta.dirname;
/** The version of pom.xml. */
const home = resolve('node_modules', '.cache', 'dynamodb-local-2.6.1');

function install(): void {
  if (existsSync(home)) return;
  const copy = ['dependency:copy-dependencies', `-DoutputDirectory=${home}`];
  try {
    execFileSync('mvn', ['--quiet', '--batch-mode', '--file', join(here, 'pom.xml'), ...copy], {
      stdio: 'pipe',
    });
  } catch (cause) {
    rmSync(home, { recursive: true, force: true });
    const why = cause instanceof Error && 'stdout' in cause ? String(cause.stdout) : String(cause);
    throw new Error(`This suite needs Java 17 or later, and Maven with Maven Central: ${why}`, {
      cause,
    });
  }
}

export async function startDynamoDbLocal(): Promise<DynamoServer> {
  install();
  const port = await freePort();
  const server = spawn(
    'java',
    [
      `-Djava.library.path=${home}`,
      '--class-path',
      join(home, '*'),
      join(here, 'LocalOnly.java'),
      '-inMemory',
      '-disableTelemetry',
      '-port',
      String(port),
    ],
    { stdio: 'ignore' },
  );
  return started(server, port);
}
