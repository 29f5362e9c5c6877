/** The head of an order's page: its id, its state, its actions. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Order } from '#console/api/documents.ts';
import { mayOperate } from '#console/api/signed-in.ts';
import { type Action, fits } from '#console/orders/bulk.ts';
import { ordersHash } from '#console/parts/page-paths.ts';
import { ActionDialog } from '../orders/action-dialog.tsx';
import { IconButton } from '../parts/icon-button.tsx';
import { Ago, At } from '../parts/instant.tsx';
import { OrderBadge } from '../parts/state-badge.tsx';
import { OrderLock } from './order-lock.tsx';
import { ResubmitDialog } from './resubmit-dialog.tsx';

export function OrderHead({ order }: { readonly order: Order }) {
  return (
    <header class="order-head">
      <div class="order-title">
        <h1 class="id">{order.orderId}</h1>
        <CopyId orderId={order.orderId} />
        <OrderBadge {...order} withStep />
        <Actions order={order} />
      </div>
      <OrderLock order={order} />
      <Facts order={order} />
    </header>
  );
}

function Facts({ order }: { readonly order: Order }) {
  const { workflow, workflowVersion, tenant, correlationId, replyTo } = order;
  const isLive = order.direction === 'forward' && order.actions.cancel !== 'ended';
  return (
    <dl class="facts">
      <Fact name="Workflow">
        <a href={ordersHash({ workflow })}>{workflow}</a>{' '}
        <span class="soft">v{workflowVersion}</span>
      </Fact>
      {tenant !== null && (
        <Fact name="Tenant">
          <a href={ordersHash({ tenant })}>{tenant}</a>
        </Fact>
      )}
      <Fact name="Priority">{order.priority}</Fact>
      <Fact name="Submitted">
        <Ago at={order.submittedAt} />
      </Fact>
      <Fact name="Changed">
        <Ago at={order.updatedAt} />
      </Fact>
      {order.deadline && isLive && (
        <Fact name={order.deadline.onLate === 'undo' ? 'Undone if late' : 'Stops if late'}>
          <At at={order.deadline.lateAt} />
        </Fact>
      )}
      <Fact name="Timed out">
        {order.failureCount === 1 ? 'once' : `${order.failureCount} times`}
      </Fact>
      {correlationId !== null && (
        <Fact name="Correlation">
          <span class="id">{correlationId}</span>
        </Fact>
      )}
      {replyTo !== null && <Fact name="Answers to">{replyTo}</Fact>}
    </dl>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Actions({ order }: { readonly order: Order }) {
  const asked = useSignal<Action | null>(null);
  const close = () => {
    asked.value = null;
  };
  if (!mayOperate()) return null;
  return (
    <div class="order-actions">
      {fits('resubmit', order) && (
        <button class="primary" type="button" onClick={() => (asked.value = 'resubmit')}>
          Resubmit …
        </button>
      )}
      {fits('reprioritise', order) && (
        <button class="plain" type="button" onClick={() => (asked.value = 'reprioritise')}>
          Reprioritise …
        </button>
      )}
      {fits('cancel', order) && (
        <button class="danger" type="button" onClick={() => (asked.value = 'cancel')}>
          Cancel …
        </button>
      )}
      {asked.value === 'resubmit' && <ResubmitDialog order={order} onClose={close} />}
      {(asked.value === 'cancel' || asked.value === 'reprioritise') && (
        <ActionDialog
          action={asked.value}
          choice={{ kind: 'these', orders: [order] }}
          onClose={close}
        />
      )}
    </div>
  );
}

function CopyId({ orderId }: { readonly orderId: string }) {
  const copied = useSignal(false);
  // Without a secure origin there is no clipboard; the id can still be selected.
  const copy = () =>
    void navigator.clipboard?.writeText(orderId).then(() => {
      copied.value = true;
    });
  return (
    <IconButton
      label={copied.value ? 'Copied' : 'Copy the id'}
      icon={copied.value ? 'check' : 'copy'}
      onClick={copy}
    />
  );
}
