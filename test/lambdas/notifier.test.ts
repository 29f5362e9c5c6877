/** The deployed notifier's wiring, against servers. */
import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { expect, onTestFinished, test } from 'vitest';
import { createTables, startDynoxide } from '../support/dynamo-server.ts';
import { lambdaContext } from '../support/lambda-poller.ts';

test('the details of an order are deleted when its record expires, and no others', async () => {
  const server = await startDynoxide();
  onTestFinished(() => server.close());
  const { orders } = await createTables(server.client);
  Object.assign(process.env, {
    AWS_ENDPOINT_URL_DYNAMODB: server.url,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    REEVE_DEPLOYMENT: 'test',
    REEVE_COMMAND: 'npx reeve --stack test',
    REEVE_EVENT_BUS: 'default',
    REEVE_ORDERS_TABLE: orders,
    REEVE_QUEUES: 'http://127.0.0.1/000000000000/test',
    REEVE_RESPONSE_CHANNELS: '{}',
  });
  // Imported here, because a function reads its environment when it is loaded.
  const { notifierHandler } = await import('../../lambdas/notifier.ts');
  const handler = notifierHandler();
  for (const id of ['expired', 'kept']) {
    const Item = {
      OrderID: { S: id },
      SubmittedAt: { N: '1' },
      Details: { S: '{"address":"Lane"}' },
    };
    await server.client.send(new PutItemCommand({ TableName: orders, Item }));
  }

  const removed = (id: string, submittedAt: string) =>
    ({
      eventName: 'REMOVE',
      dynamodb: {
        SequenceNumber: '1',
        Keys: { OrderID: { S: id } },
        OldImage: { OrderID: { S: id }, SubmittedAt: { N: submittedAt } },
      },
    }) as const;
  // One of them is of an earlier order with the id.
  const Records = [removed('expired', '1'), removed('kept', '0')];
  const response = await handler({ Records }, lambdaContext());

  expect(response).toEqual({ batchItemFailures: [] });
  const stored = async (id: string) => {
    const Key = { OrderID: { S: id } };
    const { Item } = await server.client.send(new GetItemCommand({ TableName: orders, Key }));
    return Item;
  };
  expect(await stored('expired')).toBeUndefined();
  expect(await stored('kept')).toBeDefined();
});
