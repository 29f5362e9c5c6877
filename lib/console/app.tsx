/** Which page is shown. */
import { useEffect, useRef } from 'preact/hooks';
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
      <Page present={present} />
      <TokenPrompt />
    </Shell>
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

const titles = {
  now: 'Now',
  orders: 'Orders',
  agents: 'Agents',
  workflows: 'Workflows',
  unknown: 'No such page',
} as const;

/** A new page has a new title, and is read from its beginning; the first one is where one begins anyway. */
function useArrival(present: Route): void {
  const key = present.page === 'order' ? present.orderId : present.page;
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
