/** List prices, us-east-1, 2026 (AWS pricing pages), in dollars. */
export const prices = {
  /** DynamoDB on demand, per write unit of 1 KB and per read unit of 4 KB. */
  writeUnit: 0.625e-6,
  readUnit: 0.125e-6,
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
export type FunctionKind = keyof typeof invocationMs;

/** GB of memory that lib/infra gives a function. */
export const functionGb = 0.25;
/** The Supervisor has more, for its sweeps. */
export const gbOf = (kind: FunctionKind) => (kind === 'supervisor' ? 1 : functionGb);
