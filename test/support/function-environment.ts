/** The variables of every function, for a test of several functions on an AWS that it defines. */

/** @param url the address of AWS */
export const functionEnvironment = (url: string): Readonly<Record<string, string>> => ({
  AWS_ENDPOINT_URL: url,
  AWS_LAMBDA_FUNCTION_NAME: 'test',
  POWERTOOLS_LOG_LEVEL: 'SILENT',
  REEVE_AGENTS: 'paint',
  REEVE_BACKLOG_MAX: '900',
  REEVE_COMMAND: 'npx reeve --stack shop',
  REEVE_COORDINATION_TABLE: 'coordination',
  REEVE_DEPLOYMENT: 'shop-orders',
  REEVE_EVENT_BUS: 'orders',
  REEVE_KEEP_DAYS: '30',
  REEVE_LIMITED_AGENTS: '',
  REEVE_ORDERS_TABLE: 'orders',
  REEVE_PRIORITIES: 'normal',
  REEVE_PROCESSES_TABLE: 'processes',
  REEVE_QUEUES: `${url}/000000000000/test`,
  REEVE_RECOVERY: 'prompt',
  REEVE_REPLY_QUEUE: `${url}/000000000000/test_reply_paint`,
  REEVE_RESPONSE_CHANNELS: '{}',
  REEVE_SHARDS: '2',
  REEVE_SWEEP_SECONDS: '60',
});
