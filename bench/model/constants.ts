/**
 * What AWS allows and what was measured, each with its source: an address of AWS's documentation, or the command of this
 * repository that measures it. A figure that differs between runs is the one that makes the model less favourable.
 */

export interface Constant {
  readonly value: number;
  readonly source: string;
}

const developerGuide = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide';
const lambdaGuide = 'https://docs.aws.amazon.com/lambda/latest/dg';

export const constants = {
  /** Write units per second of one partition of a table or index. */
  partitionWriteUnits: { value: 1_000, source: `${developerGuide}/warm-throughput-scenarios.html` },
  /** Write units per second for which a new table on demand, or an index of one, is prepared. */
  newTableWriteUnits: { value: 4_000, source: `${developerGuide}/warm-throughput-scenarios.html` },
  /** Write units per second of a table with all of its indexes apart: a quota of the account. */
  tableWriteUnits: {
    value: 40_000,
    source: `${developerGuide}/on-demand-capacity-mode-max-throughput.html`,
  },
  /** Requests per second of all APIs of an account. */
  apiRequests: {
    value: 10_000,
    source: 'https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html',
  },
  /** Environments of all functions of an account that run at once. */
  lambdaConcurrency: { value: 1_000, source: `${lambdaGuide}/gettingstarted-limits.html` },
  /** Requests per second that a unit of concurrency allows, however short they are. */
  lambdaRequestsPerConcurrency: { value: 10, source: `${lambdaGuide}/lambda-concurrency.html` },
  /** Batches of one queue that Lambda processes at once. */
  pollerBatches: { value: 1_000, source: `${lambdaGuide}/services-sqs-scaling.html` },
  /** Batches of one queue that Lambda processes at once when the first messages come. */
  pollerBatchesFirst: { value: 5, source: `${lambdaGuide}/services-sqs-scaling.html` },
  /** By which it raises that, per minute. */
  pollerBatchesPerMinute: { value: 300, source: `${lambdaGuide}/services-sqs-scaling.html` },
  /** Messages in flight of a standard queue. */
  messagesInFlight: {
    value: 120_000,
    source:
      'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-queues.html',
  },
  /** `PutEvents` requests per second in us-east-1; other regions have fewer. */
  putEventsRequests: {
    value: 10_000,
    source: 'https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-quota.html',
  },
  /** Events, and messages, of one request. */
  entriesPerRequest: {
    value: 10,
    source:
      'https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-messages.html',
  },
  /** MiB of a function with one core. */
  coreMiB: { value: 1_769, source: `${lambdaGuide}/configuration-memory.html` },
  /** CPU of a recovery, ms on one core: 0.43 to 0.76 between machines. */
  recoveryCpuMs: { value: 0.76, source: 'npm run bench:sweep -- --attempts 1' },
  /** CPU of a change that is notified, ms on one core: 0.15 to 0.27 between runs and channels. */
  notifyCpuMs: { value: 0.27, source: 'npm run bench:notify' },
  /** Round trips of a batch of the notifier, each of {@link callMs}: SQS or EventBridge takes ten of its messages at a time. */
  notifierRoundTrips: { value: 3, source: 'docs/aws.md#notification-throughput' },
  /** A call of DynamoDB, SQS or EventBridge, ms: assumed. */
  callMs: { value: 10, source: 'bench/bill/prices.ts' },
  /** A batch of ten messages in the Scheduler at 256 MiB, ms, measured on the shipped bundles. */
  schedulerBatchMs: { value: 87, source: 'docs/aws.md#capacity' },
  /** The answer of an agent's service, ms: assumed. */
  serviceMs: { value: 100, source: 'bench/bill/prices.ts' },
  /** Of a sweep that is handed over, before it leaves the rest to the next one, s: the timeout less its reserve. */
  sweepSeconds: { value: 50, source: 'lambdas/supervisor.ts' },
  /** Write units of the index Due for a recovery: the key of the order changes. */
  dueUnitsPerRecovery: { value: 2, source: 'test/aws/units.test.ts' },
} as const satisfies Readonly<Record<string, Constant>>;

/** Write units per second that this repository lets a partition have: the rest is for orders that are spread unevenly. */
export const partitionGoal = 700;
/** Part of a quota that is used: the rest is for peaks within a minute. */
export const quotaUse = 0.7;
/** The orders that came in an outage of so many seconds are to be recovered in so many: at 10,000 orders per second a million. */
export const overdueGoal = { outageSeconds: 100, seconds: 240 } as const;
export const million = 1_000_000;
