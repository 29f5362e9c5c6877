/** The orders that changed last, with the states of their steps. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { mayPass } from '#console/api/answer.ts';
import { get } from '#console/api/api-client.ts';
import { coalesced } from '#console/api/coalesced.ts';
import type { Change, ListDocument } from '#console/api/documents.ts';
import { follow } from '#console/api/live.ts';
import { orderHash } from '#console/parts/page-paths.ts';
import { after } from '#console/parts/server-clock.ts';
import { StepPips } from '../chart/step-pips.tsx';
import { Ago } from '../parts/instant.tsx';
import { Notice } from '../parts/notice.tsx';
import { OrderBadge } from '../parts/state-badge.tsx';
import { type Flowing, flowed, isNews, ofChange, ofSummary } from './flow.ts';

const shownMax = 9;
/** The minimum time between two updates, for readability, ms. */
const readableMs = 400;
const restMs = 1_000;

function useFlow() {
  const shown = useSignal<readonly Flowing[] | null>(null);
  useEffect(() => {
    let waiting = new Map<string, Change>();
    const show = coalesced(
      async () => {
        const news = [...waiting.values()].slice(-shownMax).map(ofChange);
        waiting = new Map();
        shown.value = flowed(shown.value ?? [], news, shownMax);
      },
      () => readableMs,
      after,
    );
    const load = coalesced(
      async () => {
        const answer = await get<ListDocument>(`/orders?limit=${shownMax}`);
        if (mayPass(answer)) load.ask();
        if (answer.kind !== 'ok') return;
        const listed = answer.body.orders.map(ofSummary).toReversed();
        shown.value = flowed(shown.value ?? [], listed, shownMax);
      },
      () => restMs,
      after,
    );
    const stop = follow({
      refresh: load.ask,
      changes(batch) {
        for (const [orderId, change] of batch) {
          if (waiting.has(orderId) || isNews(change, shown.value ?? [], shownMax)) {
            waiting.set(orderId, change);
          }
        }
        if (waiting.size > 0) show.ask();
      },
    });
    load.ask();
    return () => {
      stop();
      show.stop();
      load.stop();
    };
  }, []);
  return shown;
}

export function Flow() {
  const shown = useFlow().value;
  return (
    <section class="card" aria-labelledby="flow-title">
      <div class="card-head">
        <h2 id="flow-title">Recent changes</h2>
        <a class="more" href="#/orders">
          All orders
        </a>
      </div>
      {shown?.length === 0 && (
        <Notice icon="list" title="No orders yet">
          Submit one: <code>npx reeve submit examples/order.json</code>
        </Notice>
      )}
      <ul class="rows flow" style={{ '--rows': String(shownMax) }}>
        {shown?.map((order) => (
          <li key={order.orderId}>
            <a class="row flow-row" href={orderHash(order.orderId)}>
              <OrderBadge {...order} />
              <span class="id clip">{order.orderId}</span>
              <StepPips steps={order.steps} />
              <span class="soft when">{order.at !== '' && <Ago at={order.at} />}</span>
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
