/** List prices, us-east-1, 2026 (AWS pricing pages), in dollars. */
export const prices = {
  /** DynamoDB on demand, per write unit of 1 KB and per read unit of 4 KB. */
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
  /** Per GB kept for a month, indexes included (DynamoDB pricing, table class Standard). */
  storageGbMonth: 0.25,
  /** The tables have point-in-time recovery: per GB of a table without its global indexes, and month (DynamoDB pricing). */
  recoveryGbMonth: 0.2,
  /** The table class Standard-IA (DynamoDB pricing): its units and its storage. */
  infrequentWriteUnit: 0.78e-6,
  infrequentReadUnit: 0.155e-6,
  infrequentGbMonth: 0.1,
  /** Provisioned capacity: a unit per second, for an hour (DynamoDB pricing, table class Standard). */
  provisionedWriteHour: 0.00065,
  provisionedReadHour: 0.00013,
  sqsRequest: 0.4e-6,
  lambdaRequest: 0.2e-6,
  /** arm64. */
  lambdaGbSecond: 1.33334e-5,
  apiRequest: 1e-6,
  customEvent: 1e-6,
  logGb: 0.5,
  /** A custom metric, per month with data. */
  metricMonth: 0.3,
  standardTransition: 25e-6,
  expressRequest: 1e-6,
  expressGbSecond: 1.667e-5,
  durableOperation: 8e-6,
  durableGbWritten: 0.25,
} as const;

/** What an item, or an entry of an index, has beside its names and values (DynamoDB developer guide, "Item sizes and formats"). */
export const itemOverheadBytes = 100;
/** A month of AWS's prices: 730 hours. */
export const hoursPerMonth = 730;
/** Provisioned units that are used, where auto scaling follows the load (DynamoDB developer guide: its default target is 70 %). */
export const provisionedUse = 0.7;

/**
 * Assumed duration of an invocation, ms, which cannot be measured here: 5 to 10 ms per call of DynamoDB or SQS, 100
 * ms for an agent's service.
 */
export const invocationMs = {
  frontDoor: 25,
  scheduler: 30,
  agent: 120,
  notifier: 15,
  supervisor: 20,
} as const;
/** Assumed duration of a sweep that finds nothing, ms, as docs/aws.md has it. */
export const sweepMs = 100;
export type FunctionKind = keyof typeof invocationMs;

/** GB of memory that lib/infra gives a function. */
export const functionGb = 0.25;
/** The Supervisor has more, for its sweeps. */
export const gbOf = (kind: FunctionKind) => (kind === 'supervisor' ? 1 : functionGb);
