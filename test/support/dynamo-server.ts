/** A separate DynamoDB-compatible server, and empty tables on it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTableCommand,
  type DynamoDBClient,
  ListTablesCommand,
} from '@aws-sdk/client-dynamodb';
import { dynamoClient } from '#aws/clients/dynamo-client.ts';
import {
  coordinationKey,
  type Key,
  orderKey,
  processIndexes,
  type TableNames,
} from '#aws/store/tables.ts';

export interface DynamoServer {
  readonly url: string;
  readonly client: DynamoDBClient;
  close(): Promise<void>;
}

/** These servers check no signature, but the SDK computes one. */
export const testCredentials = { accessKeyId: 'test', secretAccessKey: 'test' };

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** On a busy machine, connections of this process wait until it runs again. */
const connectionTimeoutMs = 30_000;

/** A client of a running server. */
export function testDynamoClient(endpoint: string, requestTimeoutMs = 10_000): DynamoDBClient {
  process.env['AWS_REGION'] = 'us-east-1';
  process.env['AWS_ACCESS_KEY_ID'] = testCredentials.accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = testCredentials.secretAccessKey;
  return dynamoClient({ endpoint, requestTimeoutMs, connectionTimeoutMs });
}

/** Dynoxide: one binary, everything in memory. */
export async function startDynoxide(): Promise<DynamoServer> {
  const port = await freePort();
  const binary = join('node_modules', '@dynoxide', 'linux-x64', 'dynoxide');
  const command = ['-c', endsWithUs, 'sh', binary, '--port', String(port)];
  return started(spawn('sh', command, { stdio: ['pipe', 'ignore', 'ignore'] }), port);
}

/**
 * Runs its arguments until its input ends, which happens with the process that holds it, so that an aborted test
 * run leaves no server behind.
 */
const endsWithUs = '"$@" & cat; kill -9 $!; wait';

/** Waits until the started server answers on the port. */
export async function started(server: ChildProcess, port: number): Promise<DynamoServer> {
  let failure: Error | undefined;
  server.on('error', (error) => {
    failure = error;
  });
  const url = `http://127.0.0.1:${port}`;
  const client = testDynamoClient(url);
  for (let tries = 0; tries < 300; tries += 1) {
    if (failure !== undefined) throw failure;
    if (server.exitCode !== null) throw new Error(`the server ended with ${server.exitCode}`);
    try {
      await client.send(new ListTablesCommand({}));
      return { url, client, close: () => stop(server, client) };
    } catch {
      await sleep(50);
    }
  }
  await stop(server, client);
  throw new Error(`${url} does not answer`);
}

async function stop(server: ChildProcess, client: DynamoDBClient): Promise<void> {
  client.destroy();
  if (server.exitCode !== null) return;
  const ended = once(server, 'exit');
  if (server.stdin === null) server.kill('SIGKILL');
  else server.stdin.end();
  await ended;
}

let tables = 0;

/** Empty tables as the stack creates them, with unique names. */
export async function createTables(
  client: DynamoDBClient,
): Promise<TableNames & { readonly coordination: string }> {
  tables += 1;
  const names = {
    orders: `Orders${tables}`,
    processes: `Processes${tables}`,
    coordination: `Coordination${tables}`,
  };
  await create(client, names.orders, orderKey);
  await create(client, names.coordination, coordinationKey);
  await create(client, names.processes, orderKey, processIndexes);
  return names;
}

async function create(
  client: DynamoDBClient,
  name: string,
  key: Key,
  indexes: typeof processIndexes = [],
): Promise<void> {
  const keys = [key, ...indexes.flatMap(({ partition, sort }) => [partition, sort])];
  const types = new Map(keys.map((one) => [one.name, one.type]));
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [{ AttributeName: key.name, KeyType: 'HASH' }],
      AttributeDefinitions: [...types].map(([AttributeName, AttributeType]) => ({
        AttributeName,
        AttributeType,
      })),
      ...(indexes.length > 0 && {
        GlobalSecondaryIndexes: indexes.map(({ name: IndexName, partition, sort }) => ({
          IndexName,
          KeySchema: [
            { AttributeName: partition.name, KeyType: 'HASH' as const },
            { AttributeName: sort.name, KeyType: 'RANGE' as const },
          ],
          Projection: { ProjectionType: 'KEYS_ONLY' as const },
        })),
      }),
    }),
  );
}
