import { SQSClient } from '@aws-sdk/client-sqs';
import { type ClientOptions, commonSettings } from './client-options.ts';

/** The URL of a queue never decides where a signed request is sent. */
export const sqsClient = (options: ClientOptions = {}) =>
  new SQSClient({ ...commonSettings(options), useQueueUrlAsEndpoint: false });
