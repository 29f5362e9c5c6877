/** What needs a person: orders in Error, with why, at the top of the page. */
import type { ListDocument, SummaryDocument } from './documents.ts';
import { faultTitle } from './fault-words.ts';
import { Icon } from './icon.tsx';
import { Ago } from './instant.tsx';
import { NotLoaded } from './notice.tsx';
import { orderHash, ordersHash } from './routes.ts';
import { useDocument } from './use-document.ts';

const shownMax = 4;
const path = `/orders?state=Error&limit=${shownMax + 1}`;

export function Attention() {
  const loaded = useDocument<ListDocument>(path, {
    restMs: 1_000,
    // An order that is on its way is none of these, unless it was one before.
    concerns: () => true,
  }).value;
  if (loaded.kind === 'loading')
    return (
      <div class="attention calm" aria-hidden="true">
        {' '}
      </div>
    );
  if (loaded.kind !== 'shown') return <NotLoaded loaded={loaded} />;
  const { orders } = loaded.body;
  if (orders.length === 0) {
    return (
      <section class="attention calm" aria-label="What needs a person">
        <Icon name="check" /> Nothing needs a person.
      </section>
    );
  }
  return (
    <section class="attention" aria-labelledby="attention-title">
      <div class="attention-head">
        <h2 id="attention-title">
          <Icon name="alert" /> Needs a person
        </h2>
        <a class="more" href={ordersHash({ state: 'Error' })}>
          All orders in Error
        </a>
      </div>
      <ul class="rows">
        {orders.slice(0, shownMax).map((order) => (
          <InError key={order.orderId} order={order} />
        ))}
      </ul>
      {orders.length > shownMax && <p class="aside">… and more of them.</p>}
    </section>
  );
}

function InError({ order }: { readonly order: SummaryDocument }) {
  const { fault } = order;
  return (
    <li>
      <a class="row attention-row" href={orderHash(order.orderId)}>
        <span class="strong">{fault === null ? 'Stopped' : faultTitle(fault)}</span>
        <span class="soft clip">
          {fault?.message} {fault !== null && <code>{fault.code}</code>}
        </span>
        <span class="id clip">{order.orderId}</span>
        <span class="soft when">
          <Ago at={order.updatedAt} />
        </span>
      </a>
    </li>
  );
}
