/**
 * Servers of AWS's protocols between the functions and the emulators, which meter the use: DynamoDB's units as the
 * server reports them, SQS's requests, EventBridge's events.
 */
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { type Image, itemBytes } from './item-bytes.ts';

export interface Write {
  readonly before: Image | undefined;
  readonly after: Image;
}

export interface Meter {
  readonly dynamoUrl: string;
  readonly queueUrl: string;
  readonly eventsUrl: string;
  writeUnits: number;
  /** Those of the Coordination table. */
  coordinationUnits: number;
  /** Write units of each table and index, by their names without the number of a test's table: `Processes`, `Due`. */
  readonly writeUnitsBy: Map<string, number>;
  /** Read units, likewise. */
  readonly readUnitsBy: Map<string, number>;
  readUnits: number;
  sends: number;
  events: number;
  /** The largest process record written. */
  recordBytesMax: number;
  /** The change stream of the Processes table, oldest first; its reader removes the entries. */
  readonly stream: Write[];
  readonly queues: Map<string, string[]>;
  close(): void;
}

const units = z.object({ CapacityUnits: z.number() });
const consumed = z.object({
  TableName: z.string(),
  CapacityUnits: z.number(),
  Table: units.optional(),
  GlobalSecondaryIndexes: z.record(z.string(), units).optional(),
});
const answerSchema = z.object({
  ConsumedCapacity: z.union([consumed, z.array(consumed)]).optional(),
});
const image = z.record(z.string(), z.record(z.string(), z.unknown()));
const put = z.object({ TableName: z.string(), Item: image });
const requestSchema = z.object({
  TableName: z.string().optional(),
  Item: image.optional(),
  TransactItems: z.array(z.object({ Put: put })).optional(),
});
const sendSchema = z.object({
  QueueUrl: z.string(),
  Entries: z.array(z.object({ Id: z.string(), MessageBody: z.string() })),
});
const attributesSchema = z.object({ QueueUrl: z.string() });
const putEventsSchema = z.object({ Entries: z.array(z.unknown()) });

/** @param dynamo the URL of the DynamoDB server */
export async function startMeter(
  dynamo: string,
  tables: { readonly processes: string; readonly coordination: string },
): Promise<Meter> {
  const images = new Map<string, Image>();
  const servers: Server[] = [];
  const listen = async (answer: Answer) => {
    const server = createServer((request, response) => {
      void reply(request, response, answer);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.push(server);
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    return `http://127.0.0.1:${address.port}`;
  };

  const note = (written: Image) => {
    const id = String(written['OrderID']?.['S']);
    meter.stream.push({ before: images.get(id), after: written });
    images.set(id, written);
    meter.recordBytesMax = Math.max(meter.recordBytesMax, itemBytes(written));
  };
  const meter: Meter = {
    writeUnits: 0,
    coordinationUnits: 0,
    writeUnitsBy: new Map(),
    readUnitsBy: new Map(),
    readUnits: 0,
    sends: 0,
    events: 0,
    recordBytesMax: 0,
    stream: [],
    queues: new Map(),
    queueUrl: await listen(async (operation, body) => {
      if (operation === 'GetQueueAttributes') return json(countsOf(meter, body));
      const { QueueUrl, Entries } = sendSchema.parse(JSON.parse(body));
      meter.sends += 1;
      const queue = meter.queues.get(QueueUrl) ?? [];
      queue.push(...Entries.map(({ MessageBody }) => MessageBody));
      meter.queues.set(QueueUrl, queue);
      return json({ Successful: Entries.map(taken), Failed: [] });
    }),
    eventsUrl: await listen(async (_operation, body) => {
      const { Entries } = putEventsSchema.parse(JSON.parse(body));
      meter.events += Entries.length;
      const accepted = Entries.map((_entry, at) => ({ EventId: String(at) }));
      return json({ FailedEntryCount: 0, Entries: accepted });
    }),
    dynamoUrl: await listen(async (operation, body, headers) => {
      const sent = JSON.parse(body);
      const response = await fetch(dynamo, {
        method: 'POST',
        headers,
        body: JSON.stringify({ ...sent, ReturnConsumedCapacity: 'INDEXES' }),
      });
      const answer = await response.text();
      const { ConsumedCapacity = [] } = answerSchema.parse(JSON.parse(answer));
      for (const used of [ConsumedCapacity].flat()) {
        const { TableName, CapacityUnits } = used;
        const isRead = /Get|Query/.test(operation);
        if (isRead) meter.readUnits += CapacityUnits;
        else meter.writeUnits += CapacityUnits;
        noteUsed(isRead ? meter.readUnitsBy : meter.writeUnitsBy, used);
        if (/Update/.test(operation) && TableName === tables.coordination)
          meter.coordinationUnits += CapacityUnits;
      }
      const request = requestSchema.parse(sent);
      const puts = request.TransactItems?.map(({ Put }) => Put) ?? [request];
      if (response.ok) {
        for (const { TableName, Item } of puts) {
          if (TableName === tables.processes && Item !== undefined) note(Item);
        }
      }
      return { status: response.status, body: answer };
    }),
    close() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
  return meter;
}

const taken = ({ Id, MessageBody }: { readonly Id: string; readonly MessageBody: string }) => ({
  Id,
  MessageId: Id,
  MD5OfMessageBody: hash('md5', MessageBody),
});

function noteUsed(
  by: Map<string, number>,
  { TableName, CapacityUnits, Table, GlobalSecondaryIndexes = {} }: z.infer<typeof consumed>,
): void {
  const add = (name: string, more: number) => by.set(name, (by.get(name) ?? 0) + more);
  add(TableName.replace(/\d+$/, ''), Table?.CapacityUnits ?? CapacityUnits);
  for (const [name, index] of Object.entries(GlobalSecondaryIndexes))
    add(name, index.CapacityUnits);
}

/** The Scheduler asks how many requests wait, where the machine is so busy that an agent is behind. */
function countsOf(meter: Meter, body: string) {
  const { QueueUrl } = attributesSchema.parse(JSON.parse(body));
  meter.sends += 1;
  const Attributes = {
    ApproximateNumberOfMessages: String(meter.queues.get(QueueUrl)?.length ?? 0),
    ApproximateNumberOfMessagesNotVisible: '0',
  };
  return { Attributes };
}

interface Reply {
  readonly status: number;
  readonly body: string;
}

type Answer = (
  operation: string,
  body: string,
  headers: Readonly<Record<string, string>>,
) => Promise<Reply>;

const json = (body: unknown): Reply => ({ status: 200, body: JSON.stringify(body) });

const contentType = 'application/x-amz-json-1.0';

async function reply(
  request: IncomingMessage,
  response: ServerResponse,
  answer: Answer,
): Promise<void> {
  const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
  // The signed headers; length and host belong to this hop only.
  const { 'content-type': type = contentType, authorization = '' } = request.headers;
  const target = String(request.headers['x-amz-target']);
  const date = String(request.headers['x-amz-date']);
  const headers = {
    'content-type': type,
    authorization,
    'x-amz-target': target,
    'x-amz-date': date,
  };
  const { status, body } = await answer(operation, await text(request), headers);
  response.writeHead(status, { 'content-type': contentType }).end(body);
}
