/**
 * What Lambda passes to a function and takes from it, as far as Reeve uses it. Written here, because the handlers are
 * exported to projects that do not have the types of `aws-lambda`; its types are assignable to these.
 */

/** A message of a queue. */
export interface QueueMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly eventSourceARN: string;
  readonly attributes: {
    readonly ApproximateReceiveCount: string;
    /** ms since the epoch. */
    readonly SentTimestamp: string;
    /** ms since the epoch. */
    readonly ApproximateFirstReceiveTimestamp: string;
    readonly SenderId: string;
    readonly MessageGroupId?: string | undefined;
  };
}

/** A batch of messages of one queue. */
export interface QueueEvent {
  readonly Records: readonly QueueMessage[];
}

/** The attributes of an item in a change stream, in the form of DynamoDB. */
export type StreamImage = Readonly<
  Record<
    string,
    {
      readonly S?: string | undefined;
      readonly N?: string | undefined;
      readonly NULL?: boolean | undefined;
    }
  >
>;

/** A change of one item of a table. */
export interface StreamRecord {
  readonly eventName?: 'INSERT' | 'MODIFY' | 'REMOVE' | undefined;
  readonly dynamodb?:
    | {
        readonly Keys?: StreamImage | undefined;
        readonly OldImage?: StreamImage | undefined;
        readonly NewImage?: StreamImage | undefined;
        readonly SequenceNumber?: string | undefined;
      }
    | undefined;
}

/** A batch of changes of one table. */
export interface StreamEvent {
  readonly Records: readonly StreamRecord[];
}

/** What Lambda is to deliver again; an empty list acknowledges the batch. Lambda's own types require arrays that may change. */
export interface BatchResponse {
  batchItemFailures: { itemIdentifier: string }[];
}

/** The second argument of a handler. */
export interface Invocation {
  callbackWaitsForEmptyEventLoop: boolean;
  functionName: string;
  functionVersion: string;
  invokedFunctionArn: string;
  memoryLimitInMB: string;
  awsRequestId: string;
  logGroupName: string;
  logStreamName: string;
  /** ms until the timeout of the function. */
  getRemainingTimeInMillis(): number;
  done(error?: Error, result?: unknown): void;
  fail(error: Error | string): void;
  succeed(result: unknown): void;
}

/** A handler, as Lambda calls it. */
export type LambdaHandler<Event, Result> = (event: Event, context: Invocation) => Promise<Result>;
