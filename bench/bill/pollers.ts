/**
 * How full the batches of a queue are at a rate of messages: Lambda's pollers, simulated in virtual time. A poller asks for messages,
 * waits up to 20 s for the first one, takes those that are there, up to a batch, and asks again when its function has ended.
 */
import { constants } from '../model/constants.ts';

/** How long a request for messages waits for the first one, ms (Lambda developer guide, "Using Lambda with Amazon SQS"). */
const longPollMs = 20_000;
/** A request to SQS, ms: assumed, as the durations of invocations are (prices.ts). */
const requestMs = 10;
/** Of their time, pollers that keep up are busy at most so much: above, Lambda has added some. */
const busyPart = 0.9;

/** Messages after which the figures do not change any more. */
const messagesMax = 20_000;
const secondsMax = 20_000;

/** What pollers do for one queue. */
export interface Polled {
  /** At once. */
  readonly pollers: number;
  readonly messagesPerBatch: number;
  /** Requests that were answered without a message. */
  readonly emptyPerMessage: number;
  /** How long a message waits for a poller, on average. */
  readonly waitMs: number;
}

/** One queue. */
export interface PolledQueue {
  /** Messages per second, at random instants. */
  readonly perSecond: number;
  /** Of a batch, at most. */
  readonly batchMax: number;
  /** Of an invocation. */
  readonly handlerMs: number;
}

/** @param random from 0 to 1 */
export function polled(
  { perSecond, batchMax, handlerMs }: PolledQueue,
  random: () => number,
): Polled {
  const busyMs = requestMs + handlerMs + requestMs;
  const needed = Math.ceil((perSecond * busyMs) / 1_000 / batchMax / busyPart);
  const pollers = Math.max(constants.pollerBatchesFirst.value, needed);
  const arrivals = arrivalsOf(perSecond, random);
  const freeAt = Array.from({ length: pollers }, () => 0);
  let next = 0;
  let batches = 0;
  let empty = 0;
  let waitedMs = 0;
  for (let first = arrivals[0]; first !== undefined; first = arrivals[next]) {
    const at = freeAt.indexOf(Math.min(...freeAt));
    const free = freeAt[at] ?? 0;
    if (first > free + longPollMs) {
      empty += 1;
      freeAt[at] = free + longPollMs;
      continue;
    }
    const takenAt = Math.max(free, first);
    const from = next;
    while (next - from < batchMax && (arrivals[next] ?? Number.POSITIVE_INFINITY) <= takenAt) {
      waitedMs += takenAt - (arrivals[next] ?? takenAt);
      next += 1;
    }
    batches += 1;
    freeAt[at] = takenAt + busyMs;
  }
  return {
    pollers,
    messagesPerBatch: next / batches,
    emptyPerMessage: empty / next,
    waitMs: waitedMs / next,
  };
}

/** Instants of messages that come independently of each other, ms. */
function arrivalsOf(perSecond: number, random: () => number): readonly number[] {
  const count = Math.min(messagesMax, Math.ceil(perSecond * secondsMax));
  let at = 0;
  return Array.from({ length: count }, () => {
    at -= (Math.log(1 - random()) / perSecond) * 1_000;
    return at;
  });
}
