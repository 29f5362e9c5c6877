/** Which orders a bulk command selects, so that the command it prints, run later or once more, selects no others. */
import { everyOrder } from '#cli/api/every-order.ts';
import { bulkPageSchema, type ListedDocument } from '#cli/api/response-schemas.ts';
import type { Context } from '#cli/context.ts';
import {
  filterWords,
  instantOf,
  type OrderFilter,
  withInstants,
} from '#cli/options/order-filter.ts';

/** The filter options of a bulk command. */
export interface BulkFilter extends OrderFilter {
  /** A duration until now, a date, or an instant. Not an option of `resubmit`: an order in Error changes only when an operator changes it. */
  readonly submittedBefore?: string;
}

/** See {@link bulkSelection}. */
export interface BulkSelection {
  /** The options with instants, and with an end. */
  readonly filter: BulkFilter;
  /**
   * The selected orders, and then, each time, those of them that have changed since the last time: an order that changes while orders are
   * listed may not be listed. Endless where orders change all the time: leave it once nothing is new.
   */
  readonly listings: () => AsyncIterable<Listing>;
}

interface Listing {
  readonly listed: readonly ListedDocument[];
  /** One more listing is needed although it has nothing. */
  readonly isFirst: boolean;
}

/** What an index or the clock of another function may be late by, ms. */
const lateMs = 2_000;

/**
 * Orders that have not ended change by themselves, so that their end is an instant of the submission. Those of any other state change only
 * when an operator changes them, or not at all: there, the end is an instant of the last change, so that what fails again is not selected again.
 */
export async function bulkSelection(context: Context, options: BulkFilter): Promise<BulkSelection> {
  const asOf = await serverTime(context);
  const nowMs = context.environment.now();
  const { before: given, submittedBefore, ...others } = withInstants(options, nowMs);
  const isLive = options.state === undefined || liveStates.has(options.state);
  const before = earlierOf(given, isLive ? undefined : asOf);
  const end = submittedBefore === undefined ? undefined : instantOf(submittedBefore, nowMs);
  const submitted = earlierOf(end, isLive ? asOf : undefined);
  const filter = {
    ...others,
    ...(before !== undefined && { before }),
    ...(submitted !== undefined && { submittedBefore: submitted }),
  };
  return { filter, listings: () => listings(context, filter, asOf) };
}

const liveStates = new Set(['Pending', 'Processing']);

async function* listings(
  context: Context,
  { submittedBefore, ...filter }: BulkFilter,
  begunAt: string,
): AsyncGenerator<Listing> {
  const end =
    submittedBefore === undefined ? Number.POSITIVE_INFINITY : Date.parse(submittedBefore);
  let listedAt = begunAt;
  let changed = filter;
  for (let isFirst = true; ; isFirst = false) {
    const orders = await everyOrder(context, changed);
    yield { listed: orders.filter(({ submittedAt }) => submittedAt < end), isFirst };
    // What changes from now on is not selected.
    if (filter.before !== undefined && filter.before <= begunAt) return;
    const since = new Date(Date.parse(listedAt) - lateMs).toISOString();
    changed = { ...filter, since: laterOf(filter.since, since) };
    listedAt = await serverTime(context);
  }
}

/** By the clock of this computer, an order that failed again could be selected once more. */
async function serverTime({ reeve }: Context): Promise<string> {
  const call = { method: 'GET', path: '/orders?limit=1', answer: bulkPageSchema } as const;
  const { value } = await reeve({ ...call, isRepeatable: true });
  return new Date(value.asOf).toISOString();
}

// Instants of one form: their texts are in the order of time.
const earlierOf = (one: string | undefined, other: string | undefined) =>
  one === undefined || (other !== undefined && other < one) ? other : one;
const laterOf = (one: string | undefined, other: string) =>
  one !== undefined && one > other ? one : other;

/** The options as words of a proposed command, not quoted. */
export const bulkWords = ({ submittedBefore, ...filter }: BulkFilter): string[] => [
  ...filterWords(filter),
  ...(submittedBefore === undefined ? [] : ['--submitted-before', submittedBefore]),
];
