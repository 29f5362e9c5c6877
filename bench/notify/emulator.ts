/**
 * SQS and EventBridge in a process of their own, so that their CPU is not counted. Sends its URLs to its parent and
 * ends with it.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { queueNames } from '#aws/queues/queue-names.ts';
import { startSqs } from '../../test/support/sqs-server.ts';

const sqs = await startSqs();
const [, , prefix = ''] = process.argv;
await sqs.queue({}, `${prefix}_shop`);
await sqs.queue({ FifoQueue: 'true' }, queueNames.webhook(prefix, 'webhook'));

const putEvents = z.object({ Entries: z.array(z.unknown()) });
const events = createServer(async (request, response) => {
  const { Entries } = putEvents.parse(JSON.parse(await text(request)));
  const taken = Entries.map((_entry, at) => ({ EventId: String(at) }));
  response
    .writeHead(200, { 'content-type': 'application/x-amz-json-1.1' })
    .end(JSON.stringify({ FailedEntryCount: 0, Entries: taken }));
}).listen(0, '127.0.0.1');
await once(events, 'listening');
const address = events.address();
const port = typeof address === 'object' ? address?.port : undefined;

process.send?.({ sqsUrl: sqs.endpoint, eventsUrl: `http://127.0.0.1:${port}` });
process.on('disconnect', () => process.exit());
