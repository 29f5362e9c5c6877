/** Submits many orders by few requests; each order has an outcome of its own. */
import { isObject } from '#core/model/json.ts';
import type { Priority } from '#core/model/record.ts';
import { retryAfterMs } from '#text/retry-after.ts';
import { ApiError, unknownAnswer } from './api-error.ts';
import { type BatchSender, batchesOf, type OrderAnswer, type Sized, sendBatch } from './batches.ts';
import { type ClientOrder, clientOrder } from './client-order.ts';
import { newKey } from './new-key.ts';
import { problemError, type Requests, type Tries } from './requests.ts';

/** Options of one order. */
export interface OrderOptions {
  /**
   * The idempotency key. Default: one made for this call, so that its own repetitions are one order. One that was answered with an
   * earlier order of its singleton key (`skip`) stored nothing: if that answer is lost and the earlier order ends, its repetition
   * is a new order.
   */
  readonly key?: string;
  /** Default `normal`. */
  readonly priority?: Priority;
  /** Only for a token without a tenant of its own. Default: none. */
  readonly tenant?: string;
  /** The name of a response channel. Default: none. */
  readonly replyTo?: string;
  /** The submitter's name for the order. Default: none. */
  readonly correlationId?: string;
}

/** One of many orders. */
export interface ClientOrderToSubmit<Submitted> extends OrderOptions {
  /** As the workflow takes them, before its schema is applied. */
  readonly details: Submitted;
}

/** The outcome of one of many orders. `key`: its idempotency key, also one that the client has made. */
export type ClientOutcome<Outputs> =
  | {
      /**
       * `accepted`: it is stored. `recognised`: it was stored before with the same key, perhaps by a request of this call whose answer
       * was lost. `skipped`: an earlier order with the same singleton key has not ended, and is the answer.
       */
      readonly kind: 'accepted' | 'recognised' | 'skipped';
      readonly key: string;
      readonly order: ClientOrder<Outputs>;
    }
  | {
      /**
       * `refused`: it must be changed, also where it is no JSON that Reeve accepts (`json-malformed`, such as half of a character) or too
       * large for a request. `failed`: it was still refused for now, or not answered, when the time of `retryForMs` had passed, or its
       * request was refused as a whole, such as for its token. Whether it is stored is unknown; submit it again with its key.
       */
      readonly kind: 'refused' | 'failed';
      readonly key: string;
      readonly error: ApiError;
    };

/** How the orders are sent. */
export interface ManyOptions extends Requests {
  readonly workflow: string;
  readonly pollMaxMs: number;
  readonly signal: AbortSignal | undefined;
}

export async function submitMany<Submitted, Outputs>(
  options: ManyOptions,
  orders: readonly ClientOrderToSubmit<Submitted>[],
): Promise<readonly ClientOutcome<Outputs>[]> {
  const { workflow } = options;
  const sendings = orders.map(({ key = newKey(), ...rest }) => {
    const body = { workflow, ...rest, key };
    return { key, body, bytes: byteLength(body) };
  });
  const outcomes: ClientOutcome<Outputs>[] = [];
  // One after the other: more at once would be refused sooner.
  for (const batch of batchesOf(sendings)) {
    const answers = new Map<Sending, Answer>();
    for await (const [sending, answer] of sendBatch(batch, sender(options))) {
      answers.set(sending, answer);
    }
    for (const sending of batch) {
      const answer = answers.get(sending);
      if (answer !== undefined) outcomes.push(outcomeOf<Outputs>(options, sending, answer));
    }
  }
  return outcomes;
}

interface Sending extends Sized {
  readonly key: string;
  readonly body: object;
}

const byteLength = (body: object) => new TextEncoder().encode(JSON.stringify(body)).length;

/** Sends a batch within the time of `retryForMs`, its halves included. */
function sender({
  request,
  tries: begin,
  signal,
}: ManyOptions): BatchSender<Sending, number, Answer> {
  const tries = begin(signal);
  return {
    async send(sendings) {
      const of = { method: 'POST', path: '/orders/batch', isRepeatable: true, signal } as const;
      try {
        const answer = await request({ ...of, tries, body: bodyOf(sendings) });
        return answersOf(answer, sendings.length).map(answerOf);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        const { status, code } = error;
        const answer = (isItsOwn: boolean) =>
          ({ kind: isItsOwn ? 'refused' : 'failed', again: null, error }) as const;
        return { status, code, answer };
      }
    },
    next: (waiting) => soonest(waiting, tries),
  };
}

/** One that has to wait for long delays no other. @param waiting with the earliest time for each, by `performance.now` */
async function soonest(
  waiting: ReadonlyMap<Sending, number>,
  { again }: Tries,
): Promise<readonly Sending[]> {
  const until = Math.min(...waiting.values()) + togetherMs;
  const next = [...waiting].filter(([, dueAt]) => dueAt <= until);
  const last = Math.max(...next.map(([, dueAt]) => dueAt));
  const isTime = await again(Math.max(0, last - performance.now()));
  return isTime ? next.map(([sending]) => sending) : [];
}

function outcomeOf<Outputs>(
  { request, workflow, pollMaxMs }: ManyOptions,
  { key }: Sending,
  answer: Answer,
): ClientOutcome<Outputs> {
  if (answer.error !== null) return { kind: answer.kind, key, error: answer.error };
  const { kind, id } = answer;
  const of = { workflow, id, isSkipped: kind === 'skipped', pollMaxMs };
  return { kind, key, order: clientOrder<Outputs>(request, of) };
}

/** Orders that may be sent again within this time are sent together, ms. */
const togetherMs = 1_000;

const bodyOf = (sendings: readonly Sending[]) => ({ orders: sendings.map(({ body }) => body) });

/** @throws {ApiError} `answer-unknown` */
function answersOf(document: unknown, count: number): readonly unknown[] {
  const answers = isObject(document) ? document['orders'] : null;
  if (!Array.isArray(answers) || answers.length !== count) throw unknownAnswer();
  return answers;
}

type Answer =
  | (OrderAnswer<number> & {
      readonly kind: 'accepted' | 'recognised' | 'skipped';
      readonly id: string;
      readonly error: null;
    })
  | (OrderAnswer<number> & {
      readonly kind: 'refused' | 'failed';
      readonly error: ApiError;
    });

/** @throws {ApiError} `answer-unknown` */
function answerOf(document: unknown): Answer {
  if (!isObject(document)) throw unknownAnswer();
  const { kind, orderId: id, problem, retryAfterSeconds: seconds } = document;
  switch (kind) {
    case 'accepted':
    case 'recognised':
    case 'skipped':
      if (typeof id === 'string') return { kind, id, error: null, again: null };
      break;
    case 'refused':
    case 'overloaded':
    case 'failed': {
      const status =
        isObject(problem) && typeof problem['status'] === 'number' ? problem['status'] : 0;
      const error = problemError(status, problem);
      if (error === null) break;
      if (kind === 'refused') return { kind, error, again: null };
      const waitMs = retryAfterMs(String(seconds), 0) ?? 0;
      return { kind: 'failed', error, again: performance.now() + waitMs };
    }
  }
  throw unknownAnswer();
}
