/** Orders: searched, listed, and acted upon, many at a time. */
import { type Signal, useSignal } from '@preact/signals';
import { mayOperate } from '#console/api/signed-in.ts';
import type { Action } from '#console/orders/bulk.ts';
import { shownMax } from '#console/orders/listing.ts';
import type { Choice } from '#console/orders/use-bulk-run.ts';
import { useListing } from '#console/orders/use-listing.ts';
import { listingPath, type OrderQuery } from '#console/parts/page-paths.ts';
import { nowMs } from '#console/parts/server-clock.ts';
import { ActionDialog } from '../orders/action-dialog.tsx';
import { OrderFilters } from '../orders/order-filters.tsx';
import { OrderSearch } from '../orders/order-search.tsx';
import { OrderTable, type Selection } from '../orders/order-table.tsx';
import { Notice, NotLoaded } from '../parts/notice.tsx';

export function OrdersPage({ query }: { readonly query: OrderQuery }) {
  return (
    <div class="page">
      <div class="page-head">
        <h1>Orders</h1>
        <OrderSearch />
      </div>
      <OrderFilters query={query} />
      <Listing key={JSON.stringify(query)} query={query} />
    </div>
  );
}

function Listing({ query }: { readonly query: OrderQuery }) {
  const { loaded, orders, hasMore, more, missing } = useListing(query);
  const selection: Selection = { ids: useSignal(new Set()), isEvery: useSignal(false) };
  const action = useSignal<Action | null>(null);
  const listed = orders.value;
  const chosen = listed.filter(({ orderId }) => selection.ids.value.has(orderId));
  const isEvery = selection.isEvery.value;
  return (
    <>
      <NotLoaded loaded={loaded.value} />
      {loaded.value.kind === 'shown' && listed.length === 0 && (
        <NoOrders query={query} hasMore={hasMore.value} />
      )}
      {listed.length > 0 && <OrderTable orders={listed} selection={selection} />}
      {missing.value !== null && (
        <p class="soft" role="alert">
          No more orders were loaded. {missing.value}
        </p>
      )}
      {hasMore.value && listed.length < shownMax && (
        <button class="plain wide" type="button" onClick={more}>
          Load more
        </button>
      )}
      {hasMore.value && listed.length >= shownMax && (
        <p class="soft">No more than {listed.length} are shown. Filter the orders to see others.</p>
      )}
      {(chosen.length > 0 || isEvery) && (
        <SelectionBar
          {...{ selection, action }}
          count={chosen.length}
          canBeEvery={hasMore.value && chosen.length === listed.length}
        />
      )}
      {action.value !== null && (
        <ActionDialog
          action={action.value}
          choice={isEvery ? every(query) : { kind: 'these', orders: chosen }}
          onClose={() => {
            action.value = null;
          }}
        />
      )}
    </>
  );
}

/** `within` is relative to one instant, so that it means the same for all pages. */
function every(query: OrderQuery): Choice {
  const askedMs = nowMs();
  return { kind: 'all', path: (cursor, limit) => listingPath(query, askedMs, cursor, limit) };
}

interface BarProps {
  readonly selection: Selection;
  readonly action: Signal<Action | null>;
  readonly count: number;
  /** True when all loaded orders are selected, and more match. */
  readonly canBeEvery: boolean;
}

function SelectionBar({ selection: { ids, isEvery }, action, count, canBeEvery }: BarProps) {
  return (
    <div class="selection" role="toolbar" aria-label="Selected orders">
      <span class="figures" role="status">
        {isEvery.value ? 'All matching orders selected' : `${count} selected`}
      </span>
      {canBeEvery && !isEvery.value && (
        <button class="plain" type="button" onClick={() => (isEvery.value = true)}>
          Select all that match
        </button>
      )}
      {mayOperate() && (
        <>
          <button class="primary" type="button" onClick={() => (action.value = 'resubmit')}>
            Resubmit …
          </button>
          <button class="plain" type="button" onClick={() => (action.value = 'reprioritise')}>
            Reprioritise …
          </button>
          <button class="danger" type="button" onClick={() => (action.value = 'cancel')}>
            Cancel …
          </button>
        </>
      )}
      <button
        class="quiet"
        type="button"
        onClick={() => {
          ids.value = new Set();
          isEvery.value = false;
        }}
      >
        Clear
      </button>
    </div>
  );
}

function NoOrders({ query, hasMore }: { readonly query: OrderQuery; readonly hasMore: boolean }) {
  const isFiltered = Object.values(query).some((value) => value !== '');
  return isFiltered ? (
    <Notice icon="search" title={hasMore ? 'No matching orders so far' : 'No matching orders'}>
      <a href="#/orders">Show all orders</a>
    </Notice>
  ) : (
    <Notice icon="list" title="No orders yet">
      Submit one: <code>npx reeve submit examples/order.json</code>
    </Notice>
  );
}
