/** The orders in Error, loaded again when orders stop or are resubmitted. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { mayPass } from '#console/api/answer.ts';
import { get } from '#console/api/api-client.ts';
import { coalesced } from '#console/api/coalesced.ts';
import type { SummaryDocument } from '#console/api/documents.ts';
import type { Loaded } from '#console/api/keep-loaded.ts';
import { follow } from '#console/api/live.ts';
import { findOrders } from '#console/orders/find-orders.ts';
import { emptyQuery, listingPath } from '#console/parts/page-paths.ts';
import { after } from '#console/parts/server-clock.ts';

export interface Stopped {
  readonly orders: readonly SummaryDocument[];
  /** False when there are more, older ones. */
  readonly isComplete: boolean;
}

/** Orders loaded for the overview: five requests. */
const shownMax = 1_000;
/** Between two loads, ms. */
const restMs = 1_500;

export function useStopped(): ReadonlySignal<Loaded<Stopped>> {
  const loaded = useSignal<Loaded<Stopped>>({ kind: 'loading' });
  useLayoutEffect(() => {
    let isCurrent = true;
    const load = async () => {
      const path = (cursor: string | null, limit: number) =>
        listingPath({ ...emptyQuery, state: 'Error' }, 0, cursor, limit);
      const found = await findOrders({ get, path, max: shownMax });
      if (!isCurrent) return;
      if (found.kind === 'failed' && mayPass(found.answer)) loading.ask();
      if (found.kind === 'found') loaded.value = { kind: 'shown', body: found };
      // During a sign-in, the shown orders are still valid.
      else if (found.answer.kind === 'refused') {
        if (found.answer.status !== 401) loaded.value = found.answer;
      } else if (loaded.value.kind === 'loading') loaded.value = found.answer;
    };
    const loading = coalesced(load, () => restMs, after);
    const stop = follow({
      refresh: loading.ask,
      changes(batch) {
        const { value } = loaded;
        const known = value.kind === 'shown' ? value.body.orders : [];
        const isOne = [...batch.values()].some(({ processState }) => processState === 'Error');
        if (isOne || known.some(({ orderId }) => batch.has(orderId))) loading.ask();
      },
    });
    loading.ask();
    return () => {
      isCurrent = false;
      stop();
      loading.stop();
    };
  }, []);
  return loaded;
}
