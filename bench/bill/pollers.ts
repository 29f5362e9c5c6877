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

/** Messages of a batch, when its function has ended. */
export interface Batch {
  readonly endedAt: number;
  readonly messages: number;
}

/** What pollers do for one queue. */
export interface Polled {
  /** At once. */
  readonly pollers: number;
  readonly messagesPerBatch: number;
  /** Requests that were answered without a message. */
  readonly emptyPerMessage: number;
  /** How long a message waits for a poller, on average. */
  readonly waitMs: number;
  /** Requests that were answered with messages: one for each batch, where it is not gathered. */
  readonly receivesPerMessage: number;
  readonly batches: readonly Batch[];
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

/** Pollers that keep up, each with a batch at a time, and how long a batch keeps one busy. */
export function pollersOf({ perSecond, batchMax, handlerMs }: PolledQueue) {
  const busyMs = requestMs + handlerMs + requestMs;
  const needed = Math.ceil((perSecond * busyMs) / 1_000 / batchMax / busyPart);
  return { busyMs, pollers: Math.max(constants.pollerBatchesFirst.value, needed) };
}

/** @param arrivals instants of its messages, ms, the first one first */
export function polled(queue: PolledQueue, arrivals: readonly number[]): Polled {
  const { batchMax } = queue;
  const { busyMs, pollers } = pollersOf(queue);
  const freeAt = Array.from({ length: pollers }, () => 0);
  let next = 0;
  const batches: Batch[] = [];
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
    freeAt[at] = takenAt + busyMs;
    batches.push({ endedAt: takenAt + busyMs, messages: next - from });
  }
  return {
    pollers,
    messagesPerBatch: next / batches.length,
    emptyPerMessage: empty / next,
    waitMs: waitedMs / next,
    receivesPerMessage: batches.length / next,
    batches,
  };
}

/** Instants of messages that come independently of each other, ms. @param random from 0 to 1 */
export function arrivalsOf(perSecond: number, random: () => number): readonly number[] {
  const count = Math.min(messagesMax, Math.ceil(perSecond * secondsMax));
  let at = 0;
  return Array.from({ length: count }, () => {
    at -= (Math.log(1 - random()) / perSecond) * 1_000;
    return at;
  });
}
