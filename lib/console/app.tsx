/** Which page is shown. */
import { useEffect, useErrorBoundary, useRef } from 'preact/hooks';
import { route } from '#console/parts/location.ts';
import type { Route } from '#console/parts/page-paths.ts';
import { TokenPrompt } from './dialog/token-prompt.tsx';
import { AgentsPage } from './pages/agents-page.tsx';
import { NowPage } from './pages/now-page.tsx';
import { OrderPage } from './pages/order-page.tsx';
import { OrdersPage } from './pages/orders-page.tsx';
import { WorkflowsPage } from './pages/workflows-page.tsx';
import { Notice } from './parts/notice.tsx';
import { Shell } from './parts/shell.tsx';

export function App() {
  const present = route.value;
  useArrival(present);
  return (
    <Shell>
      <Guarded key={keyOf(present)} present={present} />
      <TokenPrompt />
    </Shell>
  );
}

/**
 * What a page cannot show, such as the answer of a newer release, is said: without this, the page would stay as it was,
 * and look live. Another page begins anew.
 */
function Guarded({ present }: { readonly present: Route }) {
  const [error] = useErrorBoundary();
  if (error === undefined) return <Page present={present} />;
  return (
    <Notice icon="alert" title="This page cannot be shown">
      <p>Reload it: Reeve may have been updated meanwhile. The command line shows the same data.</p>
      <p>
        <button class="plain" type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </p>
      <code>{String(error)}</code>
    </Notice>
  );
}

function Page({ present }: { readonly present: Route }) {
  switch (present.page) {
    case 'now':
      return <NowPage />;
    case 'orders':
      return <OrdersPage query={present.query} />;
    case 'order':
      return <OrderPage key={present.orderId} orderId={present.orderId} />;
    case 'agents':
      return <AgentsPage />;
    case 'workflows':
      return <WorkflowsPage />;
    case 'unknown':
      return (
        <Notice icon="search" title="Page not found">
          <a href="#/">Go to the current activity</a>
        </Notice>
      );
  }
}

/** The same while only the filters of a page change. */
const keyOf = (present: Route) =>
  present.page === 'order' ? `order ${present.orderId}` : present.page;

const titles = {
  now: 'Now',
  orders: 'Orders',
  agents: 'Agents',
  workflows: 'Workflows',
  unknown: 'No such page',
} as const;

/** A new page has a new title, and is read from its beginning; the first one is where one begins anyway. */
function useArrival(present: Route): void {
  const key = keyOf(present);
  const isFirst = useRef(true);
  useEffect(() => {
    const title = present.page === 'order' ? `Order ${present.orderId}` : titles[present.page];
    document.title = `${title} · Reeve`;
    if (!isFirst.current) {
      scrollTo(0, 0);
      document.querySelector<HTMLElement>('#main')?.focus({ preventScroll: true });
    }
    isFirst.current = false;
  }, [key]);
}
