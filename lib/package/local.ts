/** `reeve/local`: Reeve in one process, on SQLite. */

export type { CircuitEvent } from '#in-process/circuit-watch.ts';
export type { Clock } from '#ports/clock.ts';
export type { Log, LogFields } from '#ports/log.ts';
export type { Alert } from '#ports/publisher.ts';
export type { Random } from '#ports/random.ts';
export { SubmissionError } from '#roles/submission/submission-error.ts';
export type { CodeError } from '#runtime/local/errors/code-error.ts';
export type {
  LocalOrder,
  LocalOrders,
  OrderResult,
  SubmitOptions,
  WaitOptions,
} from '#runtime/local/local-order.ts';
export {
  type LocalReeve,
  type LocalReeveOptions,
  startLocalReeve,
} from '#runtime/local/local-reeve.ts';
export { jsonLog, type LogLevel } from '#runtime/node/json-log.ts';
export { systemClock } from '#runtime/node/system-clock.ts';
export { webhook } from '#runtime/node/webhook.ts';
export { webhookSecrets } from '#runtime/node/webhook-signature.ts';
