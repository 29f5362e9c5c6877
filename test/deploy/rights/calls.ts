/** The calls in a request to AWS as IAM sees them: an action on a resource, by a function. */
import * as z from 'zod';
import { account, region } from './template.ts';

export interface Call {
  readonly caller: string;
  readonly action: string;
  readonly resource: string;
  /** The partition key of the item that it reads or writes; absent for other calls. A batch is a call for each key. */
  readonly key?: string;
}

/** A request that a function sent. */
export interface AwsRequest {
  readonly method: string;
  readonly path: string;
  /** The header `x-amz-target`: the operation, in every protocol with JSON bodies. */
  readonly target: string | null;
  readonly body: string;
}

const text = z.string();
/** The partition key of an item of the Coordination table or of the tables of orders. */
const partitionKey = z.union([
  z.object({ Name: z.object({ S: text }) }).transform(({ Name }) => Name.S),
  z.object({ OrderID: z.object({ S: text }) }).transform(({ OrderID }) => OrderID.S),
]);
const table = z.object({
  TableName: text,
  IndexName: text.optional(),
  Key: partitionKey.optional(),
  Item: partitionKey.optional(),
});
/** Of a read; the writes in batches need no key. */
const tables = z.object({
  RequestItems: z.record(
    text,
    z.union([z.object({ Keys: z.array(partitionKey) }), z.unknown().transform(() => null)]),
  ),
});
const transaction = z.object({
  TransactItems: z.array(
    z.partialRecord(z.enum(['Put', 'Update', 'Delete', 'ConditionCheck']), table),
  ),
});
const queue = z.object({ QueueUrl: text });
const entries = z.object({ Entries: z.array(z.object({ EventBusName: text })) });
const secret = z.object({ SecretId: text });

const place = `${region}:${account}`;

/** @throws {Error} for an unknown request: a new kind of call needs an entry here */
export function callsOf(caller: string, request: AwsRequest): readonly Call[] {
  return (actionsOf(request) ?? unknown(request)).map(([action, resource, key]) => ({
    caller,
    action,
    resource,
    ...(key !== undefined && { key }),
  }));
}

type OnResource = readonly [action: string, resource: string, key?: string];

function actionsOf({ method, path, target, body }: AwsRequest): readonly OnResource[] | undefined {
  const invoked = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path)?.[1];
  if (method === 'POST' && invoked !== undefined) {
    return [['lambda:InvokeFunction', `arn:aws:lambda:${place}:function:${invoked}`]];
  }
  const [service, operation = ''] = target?.split('.') ?? [];
  const document: unknown = target === null ? null : JSON.parse(body);
  switch (service) {
    case 'DynamoDB_20120810':
      return onTables(operation, document);
    case 'AmazonSQS': {
      const name = queue.parse(document).QueueUrl.split('/').at(-1);
      // A batch needs the right of the single call.
      return [[`sqs:${operation.replace(/Batch$/, '')}`, `arn:aws:sqs:${place}:${name}`]];
    }
    case 'AWSEvents':
      return entries
        .parse(document)
        .Entries.map(({ EventBusName }) => [`events:${operation}`, busArn(EventBusName)]);
    case 'secretsmanager':
      return [[`secretsmanager:${operation}`, secret.parse(document).SecretId]];
    default:
      return undefined;
  }
}

function onTables(operation: string, document: unknown): readonly OnResource[] {
  if (operation === 'TransactWriteItems') {
    return transaction
      .parse(document)
      .TransactItems.flatMap((item) =>
        Object.entries(item).map(([kind, on]) => onItem(rightOf(kind), on)),
      );
  }
  const batch = tables.safeParse(document);
  if (batch.success) {
    return Object.entries(batch.data.RequestItems).flatMap(([TableName, read]) =>
      (read?.Keys ?? [undefined]).map((Key) => onItem(`dynamodb:${operation}`, { TableName, Key })),
    );
  }
  return [onItem(`dynamodb:${operation}`, table.parse(document))];
}

function onItem(action: string, on: z.infer<typeof table>): OnResource {
  const key = on.Key ?? on.Item;
  return key === undefined ? [action, tableArn(on)] : [action, tableArn(on), key];
}

/** A part of a transaction needs the right of the single call. */
const rightOf = (kind: string) =>
  kind === 'ConditionCheck' ? 'dynamodb:ConditionCheckItem' : `dynamodb:${kind}Item`;

const tableArn = ({
  TableName,
  IndexName,
}: Pick<z.infer<typeof table>, 'TableName' | 'IndexName'>) =>
  `arn:aws:dynamodb:${place}:table/${TableName}${IndexName === undefined ? '' : `/index/${IndexName}`}`;

const busArn = (bus: string) =>
  bus.startsWith('arn:') ? bus : `arn:aws:events:${place}:event-bus/${bus}`;

function unknown({ method, path, target }: AwsRequest): never {
  throw new Error(`No right is known for ${method} ${path} ${target ?? ''}: add it to this file.`);
}
