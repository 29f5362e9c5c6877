/** The function of the Scheduler, with a new order, on emulators. */
import type { SQSEvent } from 'aws-lambda';
import * as z from 'zod';
import { dynamoStore } from '#aws/store/dynamo-store.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import { submitted } from '#core/decide/submit.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { orderId, writeId } from '#core/model/ids.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemRandom } from '#runtime/node/system-ids.ts';
import { accepted, answeringAws } from './answering-aws.ts';
import { createTables, type DynamoServer } from './dynamo-server.ts';
import { lambdaContext } from './lambda-poller.ts';
import { testLog } from './log.ts';

/** The id of its order. */
export const deployedOrder = orderId('one');

/**
 * @param workflow of the order, whose details are empty
 * @param agents those of the workflow
 * @param variables of the function that are others than those of the smallest deployment
 */
export async function deployedScheduler(
  server: DynamoServer,
  workflow: WorkflowDefinition,
  agents: readonly string[],
  variables: Readonly<Record<string, string>> = {},
) {
  const tables = await createTables(server.client);
  const aws = await answeringAws(accepted);
  const store = dynamoStore({
    ...{ client: server.client, tables, log: testLog(), clock: systemClock, random: systemRandom },
    ...{ shards: 1, sweepPeriodMs: 60_000, keepEndedMs: 3_600_000 },
  });
  const order = { orderId: deployedOrder, priority: 'normal', tenant: null } as const;
  const { record } = submitted(
    { type: 'submit', by: 'ada', ...order, replyTo: null, correlationId: null },
    workflow,
    Date.now(),
    writeId('one.1'),
  );
  const document = { orderId: deployedOrder, details: {}, digest: '1', submittedAt: Date.now() };
  await store.create(document, record);
  Reflect.deleteProperty(process.env, 'REEVE_BATCH_WINDOW_SECONDS');
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: server.url,
    AWS_ENDPOINT_URL_SQS: aws.url,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    REEVE_AGENTS: agents.join(),
    REEVE_LIMITED_AGENTS: '',
    REEVE_COORDINATION_TABLE: tables.coordination,
    REEVE_KEEP_DAYS: '30',
    REEVE_ORDERS_TABLE: tables.orders,
    REEVE_PRIORITIES: 'normal',
    REEVE_PROCESSES_TABLE: tables.processes,
    REEVE_QUEUES: `${aws.url}/000000000000/test`,
    REEVE_RECOVERY: 'sweep',
    REEVE_SHARDS: '1',
    REEVE_SWEEP_SECONDS: '60',
    ...variables,
  });
  // Imported here, because a function reads its environment when it is loaded.
  const { schedulerHandler } = await import('../../lambdas/scheduler.ts');
  const handler = schedulerHandler({ workflows: [workflow] });
  return {
    store,
    tables,
    handle: (event: SQSEvent) => handler(event, lambdaContext()),
    /** The queues to which messages were sent, by name, and what of them. */
    sent: () =>
      aws.calls.flatMap(({ input }) => {
        const { data } = sent.safeParse(input);
        const queue = data?.QueueUrl.split('/test_')[1] ?? '';
        return (data?.Entries ?? []).map(({ DelaySeconds }) => ({ queue, delay: DelaySeconds }));
      }),
    /** The queues whose messages were counted, by name. */
    counted: () =>
      aws.calls.flatMap(({ operation, input }) =>
        operation === 'GetQueueAttributes'
          ? [counted.parse(input).QueueUrl.split('/test_')[1]]
          : [],
      ),
    requests: () =>
      aws.calls.flatMap(({ input }) =>
        (sent.safeParse(input).data?.Entries ?? []).flatMap(({ MessageBody }) => {
          const decoded = requestCodec.decode(MessageBody);
          return decoded.kind === 'message' ? [decoded.message] : [];
        }),
      ),
  };
}

const counted = z.object({ QueueUrl: z.string() });
const sent = z.object({
  QueueUrl: z.string().default(''),
  Entries: z.array(
    z.object({ Id: z.string(), MessageBody: z.string(), DelaySeconds: z.int().optional() }),
  ),
});
