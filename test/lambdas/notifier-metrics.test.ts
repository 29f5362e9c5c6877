/** The deployed notifier counts the orders that stop, by how they stop. */
import { expect, test } from 'vitest';
import { toItem } from '#aws/store/attributes.ts';
import { encodeRecord } from '#core/codec/record-codec.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { answeringAws } from '../support/answering-aws.ts';
import { changeToError } from '../support/changes.ts';
import { lambdaContext } from '../support/lambda-poller.ts';
import { claimed, newOrder, succeeded } from '../support/orders.ts';
import { publishedMetrics } from '../support/published-metrics.ts';

const now = Date.UTC(2026, 0, 1);

/** The change of an order from Processing, as the stream reports it. */
function changeTo(ProcessState: 'Processed' | 'Undone', record: ProcessRecord, at: number) {
  const image = JSON.parse(JSON.stringify(toItem({ ...encodeRecord(record), ProcessState })));
  const OldImage = { ProcessState: { S: 'Processing' } };
  const Keys = { OrderID: { S: record.orderId } };
  const dynamodb = { Keys, OldImage, NewImage: image, SequenceNumber: String(at) };
  return { eventName: 'MODIFY', dynamodb } as const;
}

test('each order that stops is counted once, as Processed, Undone or in Error', async () => {
  const published = publishedMetrics();
  const aws = await answeringAws(() => ({ Entries: [{ EventId: '1' }] }));
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: aws.url,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    REEVE_DEPLOYMENT: 'test',
    REEVE_COMMAND: 'npx reeve --stack test',
    REEVE_EVENT_BUS: 'default',
    REEVE_ORDERS_TABLE: 'orders',
    REEVE_QUEUES: `${aws.url}/000000000000/test`,
    REEVE_RESPONSE_CHANNELS: JSON.stringify({ shop: 'events' }),
  });
  // Imported here, because a function reads its environment when it is loaded.
  const { notifierHandler } = await import('../../lambdas/notifier.ts');
  const begun = claimed(newOrder('one', now).record, now);
  const processed = ['east', 'west', 'roof'].reduce(
    (record, step) => succeeded(record, step, now + 1_000),
    begun,
  );
  expect(processed.processState).toBe('Processed');
  const Records = [
    ...Array.from({ length: 3 }, (_, at) => changeTo('Processed', processed, at)),
    ...Array.from({ length: 2 }, (_, at) => changeTo('Undone', processed, 3 + at)),
    changeToError().record,
  ];
  expect(await notifierHandler()({ Records }, lambdaContext())).toEqual({ batchItemFailures: [] });
  expect(published()).toEqual([{ OrdersProcessed: 3, OrdersUndone: 2, OrdersInError: 1 }]);
});
