/**
 * Lambda's pollers with a batch window, simulated in virtual time: a poller that has a first message gathers more until its batch is
 * full or the window ends. AWS does not say which poller a message goes to. Here it is any one that is free, which is the least favourable:
 * each of them gathers by itself, and a message that comes alone is a request of its own.
 */
import { type Batch, type Polled, type PolledQueue, pollersOf } from './pollers.ts';

interface Poller {
  freeAt: number;
  /** Arrivals of the messages of the batch that it gathers; empty: it waits for a first one. */
  gathered: number[];
}

/**
 * @param windowMs from the first message of a batch
 * @param arrivals instants of the messages, ms, the first one first
 * @param random from 0 to 1
 */
export function gathered(
  queue: PolledQueue & { readonly windowMs: number },
  arrivals: readonly number[],
  random: () => number,
): Polled {
  const { batchMax, windowMs } = queue;
  const { busyMs, pollers } = pollersOf(queue);
  const all = Array.from({ length: pollers }, (): Poller => ({ freeAt: 0, gathered: [] }));
  const batches: Batch[] = [];
  let receives = 0;
  let empty = 0;
  let waitedMs = 0;
  let next = 0;
  const invoke = (poller: Poller, at: number) => {
    for (const arrival of poller.gathered) waitedMs += at - arrival;
    poller.freeAt = at + busyMs;
    batches.push({ endedAt: poller.freeAt, messages: poller.gathered.length });
    poller.gathered = [];
  };
  const endOf = ({ gathered: [first], freeAt }: Poller) =>
    first === undefined ? Number.POSITIVE_INFINITY : Math.max(first, freeAt) + windowMs;
  for (let first = arrivals[0]; first !== undefined; first = arrivals[next]) {
    const at = Math.max(first, Math.min(...all.map(({ freeAt }) => freeAt)));
    for (const poller of all) {
      const end = endOf(poller);
      if (end > at) continue;
      // The request for more that was waiting is answered without a message.
      empty += 1;
      invoke(poller, end);
    }
    const free = all.filter(({ freeAt }) => freeAt <= at);
    const poller = free[Math.floor(random() * free.length)];
    // All of them work on a batch: the message waits for the first one that is free.
    if (poller === undefined) continue;
    receives += 1;
    while (
      poller.gathered.length < batchMax &&
      (arrivals[next] ?? Number.POSITIVE_INFINITY) <= at
    ) {
      poller.gathered.push(arrivals[next] ?? at);
      next += 1;
    }
    if (poller.gathered.length === batchMax) invoke(poller, at);
  }
  for (const poller of all) if (poller.gathered.length > 0) invoke(poller, endOf(poller));
  return {
    pollers,
    messagesPerBatch: next / batches.length,
    emptyPerMessage: empty / next,
    waitMs: waitedMs / next,
    receivesPerMessage: receives / next,
    batches: batches.toSorted((a, b) => a.endedAt - b.endedAt),
  };
}
