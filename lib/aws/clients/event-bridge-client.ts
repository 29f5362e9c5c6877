import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { type ClientOptions, commonSettings } from './client-options.ts';

export const eventBridgeClient = (options: ClientOptions = {}) =>
  new EventBridgeClient(commonSettings(options));
