/** Submits many orders by few requests; each order has an outcome of its own. */
import { isObject } from '#core/model/json.ts';
import type { Priority } from '#core/model/record.ts';
import { ApiError, unknownAnswer } from './api-error.ts';
import { batchesOf, type Sized } from './batches.ts';
import { type ClientOrder, clientOrder } from './client-order.ts';
import { type ApiRequest, problemError, type Rest } from './requests.ts';

/** Options of one order. */
export interface OrderOptions {
  /** The idempotency key. Default: one made for this call, so that its own repetitions are one order. */
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
       * `refused`: it must be changed. `failed`: it was still refused for now, or not answered, when the time of `retryForMs` had passed,
       * or its request was refused as a whole, such as for its token. Whether it is stored is unknown; submit it again with its key.
       */
      readonly kind: 'refused' | 'failed';
      readonly key: string;
      readonly error: ApiError;
    };

/** How the orders are sent. */
export interface ManyOptions {
  readonly request: (request: ApiRequest) => Promise<unknown>;
  readonly workflow: string;
  readonly pollMaxMs: number;
  readonly signal: AbortSignal | undefined;
}

export async function submitMany<Submitted, Outputs>(
  options: ManyOptions,
  orders: readonly ClientOrderToSubmit<Submitted>[],
): Promise<readonly ClientOutcome<Outputs>[]> {
  const { workflow } = options;
  const sendings = orders.map(({ key = crypto.randomUUID(), ...rest }) => {
    const body = { workflow, ...rest, key };
    return { key, body, bytes: byteLength(body) };
  });
  const outcomes: ClientOutcome<Outputs>[] = [];
  // One after the other: more at once would be refused sooner.
  for (const batch of batchesOf(sendings))
    outcomes.push(...(await sendBatch<Outputs>(options, batch)));
  return outcomes;
}

interface Sending extends Sized {
  readonly key: string;
  readonly body: object;
}

const byteLength = (body: object) => new TextEncoder().encode(JSON.stringify(body)).length;

async function sendBatch<Outputs>(
  { request, workflow, pollMaxMs, signal }: ManyOptions,
  batch: readonly Sending[],
): Promise<ClientOutcome<Outputs>[]> {
  const outcomes = new Map<Sending, ClientOutcome<Outputs>>();
  /** The orders that are sent again, with the earliest time for each. */
  const waiting = new Map<Sending, number>();
  let sent = batch;
  const note = (sending: Sending, answer: Answer) => {
    const { key } = sending;
    waiting.delete(sending);
    if (answer.error === null) {
      const { kind, id } = answer;
      const of = { workflow, id, isSkipped: kind === 'skipped', pollMaxMs };
      outcomes.set(sending, { kind, key, order: clientOrder<Outputs>(request, of) });
      return;
    }
    const { kind, error, seconds } = answer;
    outcomes.set(sending, { kind: kind === 'refused' ? kind : 'failed', key, error });
    if (kind !== 'refused') waiting.set(sending, performance.now() + seconds * 1_000);
  };
  const rest = (document: unknown): Rest | null => {
    const answers = answersOf(document, sent.length).map(answerOf);
    for (const [at, answer] of answers.entries()) {
      const sending = sent[at];
      if (sending !== undefined) note(sending, answer);
    }
    const until = Math.min(...waiting.values()) + togetherMs;
    // One that has to wait for long delays no other.
    const next = [...waiting].filter(([, at]) => at <= until);
    if (next.length === 0) return null;
    sent = next.map(([sending]) => sending);
    const last = Math.max(...next.map(([, at]) => at));
    return { body: bodyOf(sent), retryAfterMs: Math.max(0, last - performance.now()) };
  };
  const of = { method: 'POST', path: '/orders/batch', isRepeatable: true, signal } as const;
  try {
    await request({ ...of, body: bodyOf(sent), rest });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    for (const sending of sent) outcomes.set(sending, { kind: 'failed', key: sending.key, error });
  }
  return batch.flatMap((sending) => outcomes.get(sending) ?? []);
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
  | {
      readonly kind: 'accepted' | 'recognised' | 'skipped';
      readonly id: string;
      readonly error: null;
    }
  | {
      readonly kind: 'refused' | 'overloaded' | 'failed';
      readonly error: ApiError;
      /** The time until it may be sent again. */
      readonly seconds: number;
    };

/** @throws {ApiError} `answer-unknown` */
function answerOf(document: unknown): Answer {
  if (!isObject(document)) throw unknownAnswer();
  const { kind, orderId: id, problem, retryAfterSeconds: seconds } = document;
  switch (kind) {
    case 'accepted':
    case 'recognised':
    case 'skipped':
      if (typeof id === 'string') return { kind, id, error: null };
      break;
    case 'refused':
    case 'overloaded':
    case 'failed': {
      const status =
        isObject(problem) && typeof problem['status'] === 'number' ? problem['status'] : 0;
      const error = problemError(status, problem);
      const after = typeof seconds === 'number' ? seconds : 0;
      if (error !== null) return { kind, error, seconds: after };
      break;
    }
  }
  throw unknownAnswer();
}
