/** What `npm run bench:cold` gives the functions, and what it allows them. `test/infra/bundles.test.ts` checks both in each run. */

/** The agents that are shipped. */
export const agents = ['fraud', 'inventory', 'payment', 'shipping'];

/** The other functions. */
export const roles = ['front-door', 'submission', 'scheduler', 'supervisor', 'notifier', 'webhook'];

/** At most: bytes that a start loads, and ms that it takes. */
export const bars = {
  bytes: (name: string): number => (agents.includes(name) ? 420_000 : 600_000),
  loadMs: 130,
};

const address = 'https://sqs.us-east-1.amazonaws.com/000000000000/queue';

/** Values of all variables that a function must have. */
export const environment = {
  AWS_REGION: 'us-east-1',
  AWS_LAMBDA_FUNCTION_NAME: 'cold',
  REEVE_ORDERS_TABLE: 'orders',
  REEVE_PROCESSES_TABLE: 'processes',
  REEVE_COORDINATION_TABLE: 'coordination',
  REEVE_SHARDS: '4',
  REEVE_SWEEP_SECONDS: '60',
  REEVE_KEEP_DAYS: '30',
  REEVE_BACKLOG_MAX: '600',
  REEVE_RECOVERY: 'sweep',
  REEVE_QUEUES: address,
  REEVE_PRIORITIES: 'normal',
  REEVE_AGENTS: agents.join(','),
  REEVE_LIMITED_AGENTS: 'payment',
  REEVE_REPLY_QUEUE: address,
  REEVE_RESPONSE_CHANNELS: '{}',
  REEVE_EVENT_BUS: 'default',
  REEVE_DEPLOYMENT: 'cold',
  REEVE_COMMAND: 'npx reeve --stack cold',
  REEVE_WEBHOOK: 'shop',
  REEVE_WEBHOOK_URL: 'https://shop.example.com',
  REEVE_WEBHOOK_SECRET: 'arn:aws:secretsmanager:us-east-1:000000000000:secret:shop',
  REEVE_SERVICE_URL: 'https://service.example.com',
};
