/** One order, live. */

import type { Order, Workflow } from '#console/api/documents.ts';
import { useWorkflows } from '#console/api/use-activity.ts';
import { useDocument } from '#console/api/use-document.ts';
import { Gantt } from '../chart/gantt.tsx';
import { StepGraph } from '../chart/step-graph.tsx';
import { detailsText } from '../order/details-text.ts';
import { DocumentText } from '../order/document-text.tsx';
import { HistoryList } from '../order/history-list.tsx';
import { OrderHead } from '../order/order-head.tsx';
import { OrderTrouble } from '../order/order-trouble.tsx';
import { StepDocuments } from '../order/step-documents.tsx';
import { Notice, NotLoaded } from '../parts/notice.tsx';

/** Between two loads of the order while it changes, ms. */
const restMs = 150;

export function OrderPage({ orderId }: { readonly orderId: string }) {
  const loaded = useDocument<Order>(`/orders/${encodeURIComponent(orderId)}`, {
    restMs,
    concerns: (changes) => changes.has(orderId),
  }).value;
  const workflows = useWorkflows().value;
  if (loaded.kind === 'refused' && loaded.status === 404) {
    return (
      <div class="page">
        <h1 class="unseen">No such order</h1>
        <Notice icon="search" title="No order has this id">
          <p class="id">{orderId}</p>
          Orders are forgotten some time after their end. <a href="#/orders">Look at all orders</a>
        </Notice>
      </div>
    );
  }
  return (
    <div class="page">
      {loaded.kind === 'shown' ? (
        <Shown order={loaded.body} workflows={workflows} />
      ) : (
        <>
          <h1 class="unseen">Order {orderId}</h1>
          <NotLoaded loaded={loaded} />
        </>
      )}
    </div>
  );
}

interface ShownProps {
  readonly order: Order;
  readonly workflows: readonly Workflow[];
}

function Shown({ order, workflows }: ShownProps) {
  const definition = workflows.find(
    ({ name, version }) => name === order.workflow && version === order.workflowVersion,
  );
  const plain = Object.entries(order.steps).map(([name, { agent }]) => ({
    name,
    agent,
    after: [],
  }));
  return (
    <>
      <OrderHead order={order} />
      <OrderTrouble order={order} />
      <section class="card" aria-labelledby="graph-title">
        <div class="card-head">
          <h2 id="graph-title">Steps</h2>
          {definition === undefined && workflows.length > 0 && (
            <p class="aside">
              This version of the workflow is not known any more, so its graph is not shown.
            </p>
          )}
        </div>
        <StepGraph
          steps={definition?.steps ?? plain}
          states={order.steps}
          label={`The steps of order ${order.orderId}`}
        />
      </section>
      <Gantt order={order} />
      <div class="columns">
        <HistoryList history={order.history} />
        <div class="stack">
          <StepDocuments steps={order.steps} />
          <section class="card" aria-labelledby="details-title">
            <div class="card-head">
              <h2 id="details-title">Details</h2>
              <p class="aside">{detailsText(order)}</p>
            </div>
            <DocumentText document={order.details} label="Details" />
          </section>
        </div>
      </div>
    </>
  );
}
