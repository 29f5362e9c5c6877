/**
 * What the suites of flow control and of limits, and `npm run bench:deployed`, read of their deployed stacks: records, the
 * circuit of an agent, lines of logs.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { dynamoClient } from '#aws/clients/dynamo-client.ts';
import { dynamoCircuits } from '#aws/store/health/dynamo-circuits.ts';
import { recordOf } from '#aws/store/record-item.ts';
import type { SharedCircuit } from '#core/flow/shared-circuit.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Deployed } from './deployed.ts';
import type { MiniStack } from './ministack.ts';

const logEvents = z.object({ events: z.array(z.object({ message: z.string() })) });

export class FlowStack {
  private readonly cloud: MiniStack;
  private readonly reeve: Deployed;
  private readonly dynamo: DynamoDBClient;
  private readonly processes: string;
  private readonly coordination: string;

  private constructor(cloud: MiniStack, reeve: Deployed, tables: readonly [string, string]) {
    this.cloud = cloud;
    this.reeve = reeve;
    this.dynamo = dynamoClient({ endpoint: cloud.endpoint, requestTimeoutMs: 60_000 });
    [this.processes, this.coordination] = tables;
  }

  static async of(cloud: MiniStack, reeve: Deployed): Promise<FlowStack> {
    const FunctionName = await reeve.functionNamed('Scheduler');
    const command = new GetFunctionConfigurationCommand({ FunctionName });
    const { Environment: { Variables: of = {} } = {} } = await reeve.lambda.send(command);
    const tables = [of['REEVE_PROCESSES_TABLE'], of['REEVE_COORDINATION_TABLE']] as const;
    return new FlowStack(cloud, reeve, [tables[0] ?? '', tables[1] ?? '']);
  }

  async records(workflow: string): Promise<readonly ProcessRecord[]> {
    const records: ProcessRecord[] = [];
    const pages = paginateScan({ client: this.dynamo }, { TableName: this.processes });
    for await (const { Items: items = [] } of pages) records.push(...items.map(recordOf));
    return records.filter((record) => record.workflow === workflow);
  }

  /** Waits until so many orders of the workflow are there and have ended. */
  async ended(
    workflow: string,
    count: number,
    withinMs = 240_000,
  ): Promise<readonly ProcessRecord[]> {
    for (const deadline = Date.now() + withinMs; Date.now() < deadline; ) {
      const records = await this.records(workflow);
      const done = records.filter(({ processState }) =>
        ['Processed', 'Undone', 'Error'].includes(processState),
      );
      if (done.length >= count) return records;
      await sleep(1_000);
    }
    throw new Error(`of ${count} orders, not all have ended: ${await this.counted(workflow)}`);
  }

  /** How many orders of the workflow there are, by state, as a text. */
  async counted(workflow: string): Promise<string> {
    const records = await this.records(workflow);
    const states = Object.groupBy(records, ({ processState }) => processState);
    return JSON.stringify(
      Object.entries(states).map(([state, those]) => [state, those?.length ?? 0]),
    );
  }

  circuit(agent: string): Promise<SharedCircuit | null> {
    return dynamoCircuits(this.dynamo, this.coordination).read(agent);
  }

  /** The lines that a function has logged and that contain the text. */
  async logLines(description: string, text: string): Promise<readonly string[]> {
    const FunctionName = await this.reeve.functionNamed(description);
    const command = new GetFunctionConfigurationCommand({ FunctionName });
    const { LoggingConfig: logging } = await this.reeve.lambda.send(command);
    const logGroupName = logging?.LogGroup ?? `/aws/lambda/${FunctionName}`;
    const answer = await fetch(this.cloud.endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'Logs_20140328.FilterLogEvents',
        authorization:
          'AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/logs/aws4_request, SignedHeaders=host, Signature=0',
      },
      body: JSON.stringify({ logGroupName, limit: 10_000 }),
    });
    const { events } = logEvents.parse(await answer.json());
    return events.map(({ message }) => message).filter((message) => message.includes(text));
  }
}
