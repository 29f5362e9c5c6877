/**
 * Singletons: of the orders of a workflow with the same value of a key, one works at a time. The others wait behind it, are
 * answered with it, or replace it. The key is asked for once, at the submission.
 */
import type { JsonValue } from '#core/model/json.ts';

/** What happens to a submission while an earlier order of its key has not ended. */
export const singletonRules = ['wait', 'skip', 'replace'] as const;
/** See {@link singletonRules}. */
export type SingletonRule = (typeof singletonRules)[number];

/** What the key of a singleton is made from. */
export interface SubmittedOrder<Details = JsonValue> {
  /** As the schema of the workflow returns them. */
  readonly details: Details;
  /** The tenant of the order; null for one without a tenant. */
  readonly tenant: string | null;
}

/** The option `singleton` of `defineWorkflow`. */
export interface SingletonOptions<Details extends JsonValue> {
  /**
   * Of orders with the same text, one works at a time; null: the order has no key, and waits for no other. Orders of different
   * workflows, or of different tenants, never have the same key. A pure function; if it throws, or returns anything else,
   * the submission is refused.
   */
  readonly key: (order: SubmittedOrder<Details>) => string | null;
  /**
   * What happens to a submission while an earlier order of its key has not ended. `wait`: the new order begins when all
   * earlier ones have ended. `skip`: it is answered with the order that is there, and nothing is stored. `replace`: the earlier
   * orders are cancelled, and the new one begins when they have ended. An order in Error has not ended.
   */
  readonly else: SingletonRule;
}

/** A checked singleton, without the type of the details. */
export interface Singleton {
  /** A method, because workflows with other details are kept together. */
  key(order: SubmittedOrder): string | null;
  readonly else: SingletonRule;
}

/** The key of an order: a text, null for an order without one, or why there is no answer. */
export type KeyAnswer =
  | { readonly kind: 'key'; readonly key: string | null }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Asks the function of the workflow's author. */
export function singletonKeyOf(singleton: Singleton, order: SubmittedOrder): KeyAnswer {
  try {
    const key: unknown = singleton.key(order);
    if (key === null || typeof key === 'string') return { kind: 'key', key };
    return { kind: 'failed', error: new TypeError('not a text') };
  } catch (error) {
    return { kind: 'failed', error };
  }
}
