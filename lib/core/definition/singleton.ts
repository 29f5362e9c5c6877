/**
 * Singletons: of the orders of a workflow with the same value of a key, one works at a time. The others wait behind it, are
 * answered with it, or replace it; or those that come soon after each other become one. The key is asked for once, at the
 * submission.
 */
import type { JsonValue } from '#core/model/json.ts';
import { noPromise } from './no-promise.ts';

/** What happens to a submission while an earlier order of its key has not ended. */
export const singletonRules = ['wait', 'skip', 'replace', 'debounce'] as const;
/** See {@link singletonRules}. */
export type SingletonRule = (typeof singletonRules)[number];
/** The rules by which an order may begin as soon as none of its key is ahead of it. */
export type PromptRule = Exclude<SingletonRule, 'debounce'>;

/** What the key of a singleton is made from. */
export interface SubmittedOrder<Details = JsonValue> {
  /** As the schema of the workflow returns them. */
  readonly details: Details;
  /** The tenant of the order; null for one without a tenant. */
  readonly tenant: string | null;
}

/** The option `singleton` of `defineWorkflow`. */
export type SingletonOptions<Details extends JsonValue> = SingletonKey<Details> &
  (PromptOptions | DebounceOptions);

/** What the orders of a singleton have in common. */
export interface SingletonKey<Details extends JsonValue> {
  /**
   * Of orders with the same text, one works at a time; null: the order has no key, and waits for no other. Orders of different
   * workflows, or of different tenants, never have the same key. A pure function; if it throws, or returns anything else,
   * the submission is refused.
   */
  readonly key: (order: SubmittedOrder<Details>) => string | null;
}

/** The options of a rule by which an order may begin as soon as none of its key is ahead of it. */
export interface PromptOptions {
  /**
   * What happens to a submission while an earlier order of its key has not ended. `wait`: the new order begins when all
   * earlier ones have ended. `skip`: it is answered with the order that is there, and nothing is stored. `replace`: the earlier
   * orders are cancelled, and the new one begins when they have ended. An order in Error has not ended.
   */
  readonly else: PromptRule;
  /** Only with the rule `debounce`. */
  readonly quiet?: undefined;
  /** Only with the rule `debounce`. */
  readonly atMost?: undefined;
}

/** The options of the rule by which orders that come soon after each other become one. */
export interface DebounceOptions {
  /**
   * `debounce`: of the orders that are submitted while none of them has begun, the last one is processed, and the others are
   * cancelled. An order that has begun is never cancelled: the next one begins when it has ended.
   */
  readonly else: 'debounce';
  /** How long after its submission an order begins, unless another one of its key is submitted meanwhile, ms, from 100 ms to 7 days. */
  readonly quiet: number;
  /**
   * How long after the first submission the last one begins at the latest, however many follow each other, ms, from `quiet` to
   * 7 days. It begins later only where an order that has begun before has not ended then.
   */
  readonly atMost: number;
}

/** How long orders wait for later ones of their key. */
export interface Debounce {
  readonly quietMs: number;
  readonly atMostMs: number;
}

/** A checked singleton, without the type of the details. */
export interface Singleton {
  /** A method, because workflows with other details are kept together. */
  key(order: SubmittedOrder): string | null;
  readonly else: SingletonRule;
  /** With the rule `debounce`, and with no other. */
  readonly debounce?: Debounce;
}

/** The key of an order: a text, null for an order without one, or why there is no answer. */
export type KeyAnswer =
  | { readonly kind: 'key'; readonly key: string | null }
  | { readonly kind: 'failed'; readonly error: unknown };

/** Asks the function of the workflow's author. */
export function singletonKeyOf(singleton: Singleton, order: SubmittedOrder): KeyAnswer {
  try {
    const key: unknown = noPromise(singleton.key(order));
    if (key === null || typeof key === 'string') return { kind: 'key', key };
    return { kind: 'failed', error: new TypeError('not a text') };
  } catch (error) {
    return { kind: 'failed', error };
  }
}
