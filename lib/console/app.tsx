/** Which page is shown. */
import { useEffect, useRef } from 'preact/hooks';
import { AgentsPage } from './agents-page.tsx';
import { route } from './location.ts';
import { Notice } from './notice.tsx';
import { NowPage } from './now-page.tsx';
import { OrderPage } from './order-page.tsx';
import { OrdersPage } from './orders-page.tsx';
import type { Route } from './routes.ts';
import { Shell } from './shell.tsx';
import { TokenPrompt } from './token-prompt.tsx';
import { WorkflowsPage } from './workflows-page.tsx';

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
        <Notice icon="search" title="There is no such page">
          <a href="#/">Go to what happens now</a>
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
