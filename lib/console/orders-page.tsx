/** Orders: searched, listed, and acted upon, many at a time. */
import { type Signal, useSignal } from '@preact/signals';
import { ActionDialog } from './action-dialog.tsx';
import type { Action } from './bulk.ts';
import type { SummaryDocument } from './documents.ts';
import { Notice, NotLoaded } from './notice.tsx';
import { OrderFilters } from './order-filters.tsx';
import { OrderSearch } from './order-search.tsx';
import { OrderTable } from './order-table.tsx';
import type { OrderQuery } from './routes.ts';
import { useListing } from './use-listing.ts';

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
  const { loaded, orders, hasMore, more } = useListing(query);
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const action = useSignal<Action | null>(null);
  const listed = orders.value;
  const chosen = listed.filter(({ orderId }) => selected.value.has(orderId));
  return (
    <>
      <NotLoaded loaded={loaded.value} />
      {loaded.value.kind === 'shown' && listed.length === 0 && <NoOrders query={query} />}
      {listed.length > 0 && <OrderTable orders={listed} selected={selected} />}
      {hasMore.value && (
        <button class="plain wide" type="button" onClick={more}>
          {listed.length === 0 ? 'Look further' : 'More'}
        </button>
      )}
      {chosen.length > 0 && <SelectionBar {...{ chosen, selected, action }} />}
      {action.value !== null && (
        <ActionDialog
          action={action.value}
          orders={chosen}
          onClose={() => {
            action.value = null;
          }}
        />
      )}
    </>
  );
}

interface BarProps {
  readonly chosen: readonly SummaryDocument[];
  readonly selected: Signal<ReadonlySet<string>>;
  readonly action: Signal<Action | null>;
}

function SelectionBar({ chosen, selected, action }: BarProps) {
  return (
    <div class="selection" role="toolbar" aria-label="Selected orders">
      <span class="figures" role="status">
        {chosen.length} selected
      </span>
      <button class="primary" type="button" onClick={() => (action.value = 'resubmit')}>
        Resubmit …
      </button>
      <button class="danger" type="button" onClick={() => (action.value = 'cancel')}>
        Cancel …
      </button>
      <button class="quiet" type="button" onClick={() => (selected.value = new Set())}>
        Clear
      </button>
    </div>
  );
}

function NoOrders({ query }: { readonly query: OrderQuery }) {
  const isFiltered = Object.values(query).some((value) => value !== '');
  return isFiltered ? (
    <Notice icon="search" title="No order is like that">
      <a href="#/orders">Show all orders</a>
    </Notice>
  ) : (
    <Notice icon="list" title="No orders yet">
      Submit one: <code>npx reeve submit examples/order.json</code>
    </Notice>
  );
}
