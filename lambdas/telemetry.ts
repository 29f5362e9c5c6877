/**
 * Logs of a function: structured, without payloads, each line with the order it is about as its
 * correlation id. The default level is WARN: a kilobyte of log an order is half a dollar a million.
 */
import { Logger } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import type { Context } from 'aws-lambda';
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

/** A handler whose log lines say which invocation they belong to. */
export function logged<Event, Result>(handle: (event: Event, context: Context) => Promise<Result>) {
  return middy<Event, Result>()
    .use(injectLambdaContext(logger, { resetKeys: true }))
    .handler(handle);
}
