import { LambdaClient } from '@aws-sdk/client-lambda';
import { type ClientOptions, commonSettings } from './client-options.ts';

export const lambdaClient = (options: ClientOptions = {}) =>
  new LambdaClient(commonSettings(options));
