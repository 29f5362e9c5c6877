/** A listing that grows by pages and follows the changes of its orders. */
import { type ReadonlySignal, useComputed, useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { type Answer, mayPass } from '#console/api/answer.ts';
import { get } from '#console/api/api-client.ts';
import { coalesced } from '#console/api/coalesced.ts';
import type { ListDocument, SummaryDocument } from '#console/api/documents.ts';
import type { Loaded } from '#console/api/keep-loaded.ts';
import { follow } from '#console/api/live.ts';
import { listingPath, type OrderQuery } from '#console/parts/page-paths.ts';
import { after, nowMs } from '#console/parts/server-clock.ts';
import { sentence } from '#text/sentence.ts';
import { changed, type Listing, nextPage, reload, reloaded } from './listing.ts';

/** Between two loads of all that is shown, ms. */
const restMs = 1_000;

export function useListing(query: OrderQuery): {
  readonly loaded: ReadonlySignal<Loaded<unknown>>;
  readonly orders: ReadonlySignal<readonly SummaryDocument[]>;
  readonly hasMore: ReadonlySignal<boolean>;
  readonly more: () => void;
  /** Why the last page that was asked for did not come; null: it did. */
  readonly missing: ReadonlySignal<string | null>;
} {
  const loaded = useSignal<Loaded<unknown>>({ kind: 'loading' });
  const listing = useSignal<Listing>({ orders: [], cursor: null });
  // A cursor is bound to the filters of its page, so `since` must be relative to the same instant.
  const cursorAskedMs = useRef(0);
  const refresh = useRef(() => {});
  // Before the first frame, so that the request is in flight while the page is drawn.
  useLayoutEffect(() => {
    const load = async () => {
      const askedMs = nowMs();
      const shown = listing.value.orders.length;
      const path = (cursor: string | null, limit: number) =>
        listingPath(query, askedMs, cursor, limit);
      const answer = await reload({ get, path, shown });
      if (mayPass(answer)) loading.ask();
      if (answer.kind === 'ok') {
        // Orders may be between what was loaded and a page that came meanwhile.
        if (listing.value.orders.length > shown) loading.ask();
        listing.value = reloaded(listing.value, answer.body, shown);
        if (listing.value.cursor === answer.body.cursor) cursorAskedMs.current = askedMs;
        loaded.value = { kind: 'shown', body: null };
      } else if (answer.kind === 'refused') {
        if (answer.status !== 401) loaded.value = answer;
      } else if (loaded.value.kind === 'loading') loaded.value = answer;
    };
    const loading = coalesced(load, () => restMs, after);
    const stop = follow({
      refresh: loading.ask,
      changes(batch) {
        const next = changed(listing.value, batch, query);
        listing.value = next.listing;
        if (next.isStale) loading.ask();
      },
    });
    refresh.current = loading.ask;
    loading.ask();
    return () => {
      stop();
      loading.stop();
    };
  }, []);
  const missing = useSignal<string | null>(null);
  const isAsked = useRef(false);
  const more = async () => {
    const { cursor } = listing.value;
    if (cursor === null || isAsked.current) return;
    isAsked.current = true;
    const path = listingPath(query, cursorAskedMs.current, cursor);
    const answer = await get<ListDocument>(path);
    isAsked.current = false;
    missing.value = missingText(answer);
    // With the rows that are shown comes another cursor, if it is this one that is refused.
    if (answer.kind !== 'ok') return refresh.current();
    if (listing.value.cursor !== cursor) refresh.current();
    listing.value = nextPage(listing.value, answer.body);
  };
  return {
    loaded,
    orders: useComputed(() => listing.value.orders),
    hasMore: useComputed(() => listing.value.cursor !== null),
    more: () => void more(),
    missing,
  };
}

function missingText(answer: Answer<unknown>): string | null {
  if (answer.kind === 'ok') return null;
  return answer.kind === 'refused' ? sentence(answer.problem.title) : 'Reeve does not answer.';
}
