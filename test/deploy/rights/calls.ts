/** The calls in a request to AWS as IAM sees them: an action on a resource, by a function. */
import * as z from 'zod';
import { account, region } from './template.ts';

export interface Call {
  readonly caller: string;
  readonly action: string;
  readonly resource: string;
  /** The partition key of the one item that it reads or writes; absent for other calls. */
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
const table = z.object({ TableName: text, IndexName: text.optional() });
/** An item of the Coordination table, the only one with grants by key. */
const item = z.object({ Key: z.object({ Name: z.object({ S: text }) }) });
const tables = z.object({ RequestItems: z.record(text, z.unknown()) });
const transaction = z.object({
  TransactItems: z.array(
    z.object({
      Put: table.optional(),
      Update: table.optional(),
      Delete: table.optional(),
      ConditionCheck: table.optional(),
    }),
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
        Object.entries(item).map(
          ([kind, on]): OnResource => [rightOf(kind), tableArn(table.parse(on))],
        ),
      );
  }
  const batch = tables.safeParse(document);
  if (batch.success) {
    return Object.keys(batch.data.RequestItems).map((name) => [
      `dynamodb:${operation}`,
      tableArn({ TableName: name }),
    ]);
  }
  const on = tableArn(table.parse(document));
  const named = item.safeParse(document);
  return [
    named.success
      ? [`dynamodb:${operation}`, on, named.data.Key.Name.S]
      : [`dynamodb:${operation}`, on],
  ];
}

/** A part of a transaction needs the right of the single call. */
const rightOf = (kind: string) =>
  kind === 'ConditionCheck' ? 'dynamodb:ConditionCheckItem' : `dynamodb:${kind}Item`;

const tableArn = ({ TableName, IndexName }: z.infer<typeof table>) =>
  `arn:aws:dynamodb:${place}:table/${TableName}${IndexName === undefined ? '' : `/index/${IndexName}`}`;

const busArn = (bus: string) =>
  bus.startsWith('arn:') ? bus : `arn:aws:events:${place}:event-bus/${bus}`;

function unknown({ method, path, target }: AwsRequest): never {
  throw new Error(`No right is known for ${method} ${path} ${target ?? ''}: add it to this file.`);
}
