/** The rows of a listing; each is rendered again only when its own order has changed. */
import type { Signal } from '@preact/signals';
import { useCallback, useRef } from 'preact/hooks';
import type { SummaryDocument } from '#console/api/documents.ts';
import { memo } from '#console/parts/memo.ts';
import { orderHash } from '#console/parts/page-paths.ts';
import { Ago } from '../parts/instant.tsx';
import { OrderBadge } from '../parts/state-badge.tsx';
import { heldText } from './held-text.ts';

export interface Selection {
  /** The selected orders. */
  readonly ids: Signal<ReadonlySet<string>>;
  /** True when all matching orders are selected, also those that are not loaded. */
  readonly isEvery: Signal<boolean>;
}

interface Props {
  readonly orders: readonly SummaryDocument[];
  readonly selection: Selection;
}

export function OrderTable({ orders, selection }: Props) {
  const { ids, isEvery } = selection;
  const listed = useRef<readonly string[]>([]);
  listed.current = orders.map(({ orderId }) => orderId);
  const isSelected = ({ orderId }: SummaryDocument) => isEvery.value || ids.value.has(orderId);
  const isAll = orders.every(isSelected);
  const isSome = orders.some(isSelected);
  // One function for all rows and renders, so that a row is rendered again only when its order has changed.
  const onSelect = useCallback((orderId: string) => {
    // Deselecting one of all matching orders leaves the listed ones selected.
    const next = new Set(isEvery.value ? listed.current : ids.value);
    if (!next.delete(orderId)) next.add(orderId);
    ids.value = next;
    isEvery.value = false;
  }, []);
  return (
    <div class="card flush">
      <table class="orders">
        <thead>
          <tr>
            <th scope="col" class="check">
              <input
                type="checkbox"
                aria-label="Select all that are shown"
                checked={isAll}
                indeterminate={isSome && !isAll}
                onChange={() => {
                  ids.value = new Set(isAll ? [] : orders.map(({ orderId }) => orderId));
                  isEvery.value = false;
                }}
              />
            </th>
            <th scope="col">State</th>
            <th scope="col">Order</th>
            <th scope="col">Workflow</th>
            <th scope="col">Tenant</th>
            <th scope="col">Fault or wait</th>
            <th scope="col" class="number">
              Changed
            </th>
          </tr>
        </thead>
        <tbody>
          {orders.map((order) => (
            <Row
              key={order.orderId}
              order={order}
              isSelected={isSelected(order)}
              onSelect={onSelect}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  readonly order: SummaryDocument;
  readonly isSelected: boolean;
  readonly onSelect: (orderId: string) => void;
}

const Row = memo(({ order, isSelected, onSelect }: RowProps) => {
  const { orderId, workflow, workflowVersion, tenant, fault, held = [], updatedAt } = order;
  return (
    <tr data-selected={isSelected || undefined}>
      <td class="check">
        <input
          type="checkbox"
          aria-label={`Select order ${orderId}`}
          checked={isSelected}
          onChange={() => onSelect(orderId)}
        />
      </td>
      <td class="cell-state">
        <OrderBadge {...order} />
      </td>
      <td class="cell-id">
        <a class="id" href={orderHash(orderId)}>
          {orderId}
        </a>
      </td>
      <td class="cell-workflow">
        {workflow} <span class="soft">v{workflowVersion}</span>
      </td>
      <td class="cell-tenant">{tenant ?? <span class="soft">–</span>}</td>
      <td class="cell-fault soft">
        {fault !== null && (
          <span title={fault.message}>
            {fault.step !== null && `${fault.step}: `}
            <code>{fault.code}</code>
          </span>
        )}
        {fault === null && held.length > 0 && heldText(held)}
      </td>
      <td class="cell-when number soft">
        <Ago at={updatedAt} />
      </td>
    </tr>
  );
});
