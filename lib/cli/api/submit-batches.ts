/**
 * Submits many orders by few requests. One is sent after the other, so that the sequence of the orders decides between those of one singleton
 * key, and what is refused for now is sent again before the orders that come after it, which would take its place.
 */
import * as z from 'zod';
import { CliError } from '#cli/cli-error.ts';
import type { Context } from '#cli/context.ts';
import { exitCodeOfStatus, exitCodes } from '#cli/exit-code.ts';
import { codeOf } from '#cli/output/error-document.ts';
import {
  type BatchSender,
  batchesOf,
  type OrderAnswer,
  type Sized,
  sendBatch,
  type WholeRefusal,
} from '#client/batches.ts';
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
  for (const batch of batchesOf(orders)) {
    for await (const [order, { submitted }] of sendBatch(batch, sender<Order>(reeve, again))) {
      yield [order, submitted];
    }
  }
}

function sender<Order extends OrderText>(
  reeve: Api,
  again: Patience,
): BatchSender<Order, RefusedRequest, Answer> {
  let tries = 0;
  return {
    async send(orders) {
      const answers = await answersTo(reeve, orders);
      // While others are accepted there is room from time to time, so that each has its turn.
      if (
        Array.isArray(answers) &&
        answers.some(({ submitted }) => submitted.kind === 'accepted')
      ) {
        tries = 0;
      }
      return answers;
    },
    async next(waiting) {
      tries += 1;
      const longest = [...waiting.values()].reduce(later);
      return (await again.wait(longest, tries)) ? [...waiting.keys()] : [];
    },
  };
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

interface Answer extends OrderAnswer<RefusedRequest> {
  readonly submitted: Submitted;
}

const later = (one: RefusedRequest, other: RefusedRequest): RefusedRequest =>
  Number(other.retryAfter) > Number(one.retryAfter) ? other : one;

async function answersTo(
  reeve: Api,
  orders: readonly OrderText[],
): Promise<readonly Answer[] | WholeRefusal<Answer>> {
  try {
    const { value } = await reeve({
      method: 'POST',
      path: '/orders/batch',
      answer: z.object({ orders: z.array(outcomeSchema).length(orders.length) }),
      // The texts as they are, because parsing and printing could change their numbers.
      body: `{"orders":[${orders.map(({ text }) => text).join()}]}`,
      isRepeatable: orders.every(({ hasKey }) => hasKey),
    });
    return orders.flatMap((order, at) => {
      const document = value.orders[at];
      return document === undefined ? [] : [answerOf(order, document)];
    });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const kind = error.code === exitCodes.refused ? 'refused' : 'failed';
    const submitted = { kind, what: error.message.split('\n')[0] ?? '' } as const;
    const answer = () => ({ submitted, again: null });
    return { status: error.status, code: codeOf(error.answer), answer };
  }
}

function answerOf({ hasKey }: OrderText, document: z.infer<typeof outcomeSchema>): Answer {
  if ('orderId' in document) {
    const { kind, orderId } = document;
    const submitted = { kind: kind === 'skipped' ? kind : 'accepted', orderId } as const;
    return { submitted, again: null };
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
  return { submitted, again: isForNow(refused) ? refused : null };
}
