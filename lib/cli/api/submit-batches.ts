/**
 * Submits many orders by few requests. One is sent after the other, so that the sequence of the orders decides between those of one singleton
 * key, and what is refused for now is sent again before the orders that come after it, which would take its place.
 */
import * as z from 'zod';
import { CliError } from '#cli/cli-error.ts';
import type { Context } from '#cli/context.ts';
import { exitCodeOfStatus, exitCodes } from '#cli/exit-code.ts';
import { codeOf } from '#cli/output/error-document.ts';
import { batchesOf, type Sized } from '#client/batches.ts';
import type { Api } from './http-api.ts';
import { problemSchema, text } from './response-schemas.ts';
import { isForNow, type Patience, patience, type RefusedRequest } from './retry-after.ts';

/** An order as it is sent. */
export interface OrderText extends Sized {
  /** JSON, with the key if it has one. */
  readonly text: string;
  /** With an idempotency key it may be sent again, whether it was stored or not. */
  readonly hasKey: boolean;
}

/** `skipped`: it is answered with an earlier order of its singleton key, and nothing was stored. */
export type Submitted =
  | { readonly kind: 'accepted' | 'skipped'; readonly orderId: string }
  | { readonly kind: 'refused' | 'failed'; readonly what: string };

/** Yields each order with what became of it, as soon as that is known. */
export async function* submitBatches<Order extends OrderText>(
  { reeve, environment }: Pick<Context, 'reeve' | 'environment'>,
  orders: readonly Order[],
): AsyncGenerator<readonly [Order, Submitted]> {
  const again = patience(environment);
  for (const batch of batchesOf(orders)) yield* submitBatch(reeve, again, batch);
}

async function* submitBatch<Order extends OrderText>(
  reeve: Api,
  again: Patience,
  batch: readonly Order[],
): AsyncGenerator<readonly [Order, Submitted]> {
  let sent = batch;
  for (let tries = 1; ; tries += 1) {
    const waiting: (readonly [Order, Answer])[] = [];
    let refused: RefusedRequest | null = null;
    for (const [order, answer] of await answersTo(reeve, sent)) {
      // While others are accepted there is room from time to time, so that each has its turn.
      if (answer.submitted.kind === 'accepted') tries = 1;
      if (answer.refused === null) yield [order, answer.submitted];
      else {
        waiting.push([order, answer]);
        refused = later(refused, answer.refused);
      }
    }
    if (refused === null) return;
    if (!(await again.wait(refused, tries))) {
      for (const [order, { submitted }] of waiting) yield [order, submitted];
      return;
    }
    sent = waiting.map(([order]) => order);
  }
}

const outcomeSchema = z.union([
  z.object({ kind: z.enum(['accepted', 'recognised', 'skipped']), orderId: text }),
  z.object({
    kind: z.enum(['refused', 'overloaded', 'failed']),
    problem: problemSchema.extend({ status: z.int() }),
    // Not of what is refused.
    retryAfterSeconds: z.int().optional(),
  }),
]);

interface Answer {
  readonly submitted: Submitted;
  /** Null: it is not sent again. */
  readonly refused: RefusedRequest | null;
}

const later = (one: RefusedRequest | null, other: RefusedRequest): RefusedRequest =>
  one === null || Number(other.retryAfter) > Number(one.retryAfter) ? other : one;

async function answersTo<Order extends OrderText>(
  reeve: Api,
  orders: readonly Order[],
): Promise<readonly (readonly [Order, Answer])[]> {
  try {
    const { value } = await reeve({
      method: 'POST',
      path: '/orders/batch',
      answer: z.object({ orders: z.array(outcomeSchema).length(orders.length) }),
      // The texts as they are, because parsing and printing could change their numbers.
      body: `{"orders":[${orders.map(({ text }) => text).join()}]}`,
      isRepeatable: orders.every(({ hasKey }) => hasKey),
    });
    return value.orders.flatMap((document, at) => {
      const order = orders[at];
      return order === undefined ? [] : [[order, answerOf(order, document)] as const];
    });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    // One that has a name twice, for example, refuses all of its request: the halves find it.
    if (codeOf(error.answer) === 'json-malformed' && orders.length > 1) {
      const half = Math.ceil(orders.length / 2);
      const first = await answersTo(reeve, orders.slice(0, half));
      return [...first, ...(await answersTo(reeve, orders.slice(half)))];
    }
    const kind = error.code === exitCodes.refused ? 'refused' : 'failed';
    const submitted = { kind, what: error.message.split('\n')[0] ?? '' } as const;
    return orders.map((order) => [order, { submitted, refused: null }]);
  }
}

function answerOf({ hasKey }: OrderText, document: z.infer<typeof outcomeSchema>): Answer {
  if ('orderId' in document) {
    const { kind, orderId } = document;
    const submitted = { kind: kind === 'skipped' ? kind : 'accepted', orderId } as const;
    return { submitted, refused: null };
  }
  const { problem, retryAfterSeconds = null } = document;
  const refused = {
    status: problem.status,
    retryAfter: retryAfterSeconds === null ? null : String(retryAfterSeconds),
    json: problem,
    isRepeatable: hasKey,
  };
  const kind = exitCodeOfStatus(problem.status) === exitCodes.refused ? 'refused' : 'failed';
  const submitted = { kind, what: problem.title } as const;
  return { submitted, refused: isForNow(refused) ? refused : null };
}
