/**
 * A standard queue that Lambda polls for one function: batches of up to ten, a maximum of concurrent batches, and counts that
 * are some time old. A message is received again only when its function asks for that.
 */
import { redeliverAfterMs } from '#roles/delays.ts';
import type { SimMessage } from '#sim/ports/sim-queue.ts';
import type { SentQueue } from '#sim/world/shared-infrastructure.ts';
import type { SimContext } from '#sim/world/sim-context.ts';

export interface FunctionQueueOptions {
  readonly name: string;
  readonly around: Pick<SimContext, 'timeline' | 'chance'>;
  /** Batches at once, at most; undefined: as many as Lambda scales to. */
  readonly concurrency?: number;
  /** How old its counts are, ms. */
  readonly countAgeMs: number;
  /** Runs the function on a batch; returns the messages to be received again. */
  readonly deliver: (messages: readonly SimMessage[]) => Promise<readonly SimMessage[]>;
}

type Count = ReturnType<SentQueue['count']>;

const batchMax = 10;
/** Lambda polls with five batches at once at first, and with five more each second while that is too few. */
const scaling = { first: 5, more: 5, everyMs: 1_000, most: 1_000 };
/** From sending to visibility, and from there to the begin of the function, ms. */
const travelMs = { least: 2, most: 20 };
const pollMs = { least: 5, most: 20 };

export function functionQueue(options: FunctionQueueOptions): SentQueue {
  const { name, countAgeMs, deliver } = options;
  let concurrency = options.concurrency ?? scaling.first;
  let scaledAt = 0;
  const { timeline, chance } = options.around;
  const visible: SimMessage[] = [];
  const counts: { readonly at: number; readonly count: Count }[] = [];
  let pollers = 0;
  let inFlight = 0;
  let number = 0;

  function note(): void {
    const at = timeline.now();
    if (counts.at(-1)?.at === at) counts.pop();
    counts.push({ at, count: { waiting: visible.length, inFlight } });
    while ((counts[1]?.at ?? Number.POSITIVE_INFINITY) <= at - countAgeMs) counts.shift();
  }

  function show(message: SimMessage, afterMs: number): void {
    timeline.at(timeline.now() + afterMs, () => {
      visible.push(message);
      note();
      poll();
    });
  }

  /** As Lambda does while a queue has messages. */
  function scale(): void {
    if (options.concurrency !== undefined || timeline.now() - scaledAt < scaling.everyMs) return;
    scaledAt = timeline.now();
    concurrency = Math.min(scaling.most, concurrency + scaling.more);
  }

  function poll(): void {
    if (visible.length === 0) return;
    if (pollers >= concurrency) scale();
    if (pollers >= concurrency) return;
    pollers += 1;
    timeline.at(timeline.now() + chance.between(pollMs.least, pollMs.most), receive);
  }

  function receive(): void {
    const batch = visible.splice(0, batchMax).map((message) => ({
      ...message,
      receives: message.receives + 1,
      firstReceivedAt: message.receives === 0 ? timeline.now() : message.firstReceivedAt,
    }));
    inFlight += batch.length;
    note();
    poll();
    void run(batch).then((again) => {
      pollers -= 1;
      inFlight -= batch.length;
      note();
      for (const message of again) show(message, redeliverAfterMs(message.receives, chance));
      poll();
    });
  }

  const run = async (batch: readonly SimMessage[]) => (batch.length === 0 ? [] : deliver(batch));

  return {
    name,
    put(bodies, delaySeconds = 0) {
      for (const body of bodies) {
        number += 1;
        const sent = { messageId: `${name}-${number}`, body, sentAt: timeline.now() };
        const message = { ...sent, receives: 0, firstReceivedAt: 0 };
        const travel = chance.between(travelMs.least, travelMs.most);
        show(message, delaySeconds * 1_000 + travel);
      }
    },
    count() {
      const known = counts.findLast(({ at }) => at <= timeline.now() - countAgeMs);
      return known?.count ?? { waiting: 0, inFlight: 0 };
    },
  };
}
