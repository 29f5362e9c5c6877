/** Bulk submissions of the client and of the command line: how orders are divided into requests, and which of them are sent next. */
import { limits } from '#core/model/limits.ts';

/** An order that is to be submitted with others. */
export interface Sized {
  /** The bytes of its JSON text. */
  readonly bytes: number;
}

/** Of the body, around the orders: `{"orders":[]}`. */
const envelopeBytes = 13;

/** As few requests as their limits allow, in the given order. An order that is too large for any is by itself, and is refused. */
export function batchesOf<Order extends Sized>(orders: readonly Order[]): Order[][] {
  const batches: Order[][] = [];
  let bytes = 0;
  for (const order of orders) {
    const last = batches.at(-1);
    // With the comma after it.
    const more = order.bytes + 1;
    const hasRoom =
      last !== undefined &&
      last.length < limits.batchOrdersMax &&
      bytes + more <= limits.batchBytesMax;
    if (hasRoom) last.push(order);
    else {
      batches.push([order]);
      bytes = envelopeBytes;
    }
    bytes += more;
  }
  return batches;
}

/** The answer to one order. */
export interface OrderAnswer<Again> {
  /** What decides when it is sent again; null: it is not, because it is accepted, or refused for good. */
  readonly again: Again | null;
}

/** A request that was refused as a whole. */
export interface WholeRefusal<Answer> {
  readonly status: number | null;
  /** That of the problem document. */
  readonly code: string | undefined;
  /** The answer to each of its orders. @param isItsOwn whether the order is the cause: no other was in the request */
  answer(isItsOwn: boolean): Answer;
}

/** Sends the orders of one batch. */
export interface BatchSender<Order, Again, Answer extends OrderAnswer<Again>> {
  /** Makes one request; returns the answers in the sequence of the orders. */
  send(orders: readonly Order[]): Promise<readonly Answer[] | WholeRefusal<Answer>>;
  /** Decides which of the orders that may be sent again are sent next, and waits until then; none: no further one is sent. */
  next(waiting: ReadonlyMap<Order, Again>): Promise<readonly Order[]>;
}

/** Yields each order of a batch with its last answer, as soon as that is known. */
export async function* sendBatch<Order, Again, Answer extends OrderAnswer<Again>>(
  batch: readonly Order[],
  sender: BatchSender<Order, Again, Answer>,
): AsyncGenerator<readonly [Order, Answer]> {
  const last = new Map<Order, Answer>();
  const waiting = new Map<Order, Again>();
  let sent = batch;
  while (sent.length > 0) {
    for await (const [order, answer] of answersByHalves(sent, sender)) {
      waiting.delete(order);
      last.set(order, answer);
      if (answer.again === null) yield [order, answer];
      else waiting.set(order, answer.again);
    }
    sent = waiting.size === 0 ? [] : await sender.next(waiting);
  }
  for (const [order, answer] of last) if (waiting.has(order)) yield [order, answer];
}

/** An order whose text is no strict JSON, or that is too large, refuses all of its request: the halves find it. */
async function* answersByHalves<Order, Again, Answer extends OrderAnswer<Again>>(
  orders: readonly Order[],
  sender: BatchSender<Order, Again, Answer>,
): AsyncGenerator<readonly [Order, Answer]> {
  const sent = await sender.send(orders);
  if ('answer' in sent) {
    const isOfOne = sent.code === 'json-malformed' || sent.status === 413;
    if (isOfOne && orders.length > 1) {
      const half = Math.ceil(orders.length / 2);
      yield* answersByHalves(orders.slice(0, half), sender);
      yield* answersByHalves(orders.slice(half), sender);
    } else for (const order of orders) yield [order, sent.answer(isOfOne)];
    return;
  }
  for (const [at, order] of orders.entries()) {
    const answer = sent[at];
    if (answer !== undefined) yield [order, answer];
  }
}
