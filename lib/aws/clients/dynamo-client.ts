import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type ClientOptions, commonSettings } from './client-options.ts';

export const dynamoClient = (options: ClientOptions = {}) =>
  new DynamoDBClient(commonSettings(options));
