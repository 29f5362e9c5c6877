/** The rows of a listing; each is drawn anew only when its own order changed. */
import type { Signal } from '@preact/signals';
import type { SummaryDocument } from './documents.ts';
import { Ago } from './instant.tsx';
import { memo } from './memo.ts';
import { orderHash } from './routes.ts';
import { OrderBadge } from './state-badge.tsx';

interface Props {
  readonly orders: readonly SummaryDocument[];
  readonly selected: Signal<ReadonlySet<string>>;
}

export function OrderTable({ orders, selected }: Props) {
  const isAll = orders.every(({ orderId }) => selected.value.has(orderId));
  const isSome = orders.some(({ orderId }) => selected.value.has(orderId));
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
                  selected.value = new Set(isAll ? [] : orders.map(({ orderId }) => orderId));
                }}
              />
            </th>
            <th scope="col">State</th>
            <th scope="col">Order</th>
            <th scope="col">Workflow</th>
            <th scope="col">Tenant</th>
            <th scope="col">Fault</th>
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
              isSelected={selected.value.has(order.orderId)}
              selected={selected}
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
  readonly selected: Signal<ReadonlySet<string>>;
}

const Row = memo(({ order, isSelected, selected }: RowProps) => {
  const { orderId, workflow, workflowVersion, tenant, fault, updatedAt } = order;
  return (
    <tr data-selected={isSelected || undefined}>
      <td class="check">
        <input
          type="checkbox"
          aria-label={`Select order ${orderId}`}
          checked={isSelected}
          onChange={() => {
            const next = new Set(selected.value);
            if (!next.delete(orderId)) next.add(orderId);
            selected.value = next;
          }}
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
      </td>
      <td class="cell-when number soft">
        <Ago at={updatedAt} />
      </td>
    </tr>
  );
});
