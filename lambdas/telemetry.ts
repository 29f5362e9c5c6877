/**
 * Structured logs of a function, without payloads; an order's id is the correlation id of its lines. The
 * default level is WARN: a kilobyte of log per order costs half a dollar per million orders.
 */
import { Logger, LogLevelThreshold } from '@aws-lambda-powertools/logger';
import { injectLambdaContext } from '@aws-lambda-powertools/logger/middleware';
import middy from '@middy/core';
import { type BatchSource, checkRecords } from '#aws/event-records.ts';
import type { Invocation, LambdaHandler } from '#aws/lambda-events.ts';
import type { Log, LogFields } from '#ports/log.ts';
import { logVariables, readConfig } from './config.ts';

export const logger = new Logger();

const correlated = (fields: LogFields) => ({
  ...fields,
  ...(fields['orderId'] !== undefined && { correlation_id: fields['orderId'] }),
});

/**
 * With logs in JSON, Lambda has a level as well, INFO by default, which the logger takes instead of `POWERTOOLS_LOG_LEVEL`. That level must
 * stay: at WARN, Lambda would also leave out the lines of metrics, which have no level, and no alarm on them would ever be raised.
 */
const least = thresholdOf(readConfig(logVariables).POWERTOOLS_LOG_LEVEL?.toUpperCase() ?? '');

/** Zero, with which the logger decides alone, for a text that is no level. */
function thresholdOf(level: string): number {
  return Object.entries(LogLevelThreshold).find(([name]) => name === level)?.[1] ?? 0;
}

export const log: Log = {
  info(event, fields) {
    if (least <= LogLevelThreshold.INFO) logger.info(event, correlated(fields));
  },
  warn(event, fields) {
    if (least <= LogLevelThreshold.WARN) logger.warn(event, correlated(fields));
  },
  error(event, fields) {
    if (least <= LogLevelThreshold.ERROR) logger.error(event, correlated(fields));
  },
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
