/**
 * Structured logs of a function, without payloads; an order's id is the correlation id of its lines. The
 * default level is WARN: a kilobyte of log per order costs half a dollar per million orders.
 */
import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import { type BatchSource, checkRecords } from '#aws/event-records.ts';
import type { Invocation, LambdaHandler } from '#aws/lambda-events.ts';
import type { Log, LogFields } from '#ports/log.ts';

export const logger = new Logger();

const correlated = (fields: LogFields) => ({
  ...fields,
  ...(fields['orderId'] !== undefined && { correlation_id: fields['orderId'] }),
});

export const log: Log = {
  info: (event, fields) => logger.info(event, correlated(fields)),
  warn: (event, fields) => logger.warn(event, correlated(fields)),
  error: (event, fields) => logger.error(event, correlated(fields)),
};

/** Wraps a handler so that its log lines identify the invocation. */
export function logged<Event, Result>(
  handle: (event: Event, context: Invocation) => Promise<Result>,
): LambdaHandler<Event, Result> {
  const wrapped = middy<Event, Result>()
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .handler(handle);
  return (event, context) => wrapped(event, context);
}

/** The same for a function that a queue or a change stream invokes, which any other event does not reach. */
export const loggedBatches = <Event, Result>(
  source: BatchSource,
  handle: (event: Event, context: Invocation) => Promise<Result>,
): LambdaHandler<Event, Result> =>
  logged(async (event, context) => {
    checkRecords(source, event, context.functionName);
    return handle(event, context);
  });
