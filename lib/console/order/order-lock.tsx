/** The lock of the order and its complete-by, or what the order waits for. */

import type { Order } from '#console/api/documents.ts';
import { now } from '#console/parts/server-clock.ts';
import { mayBeReplaced, mayBeReplacedText } from '#text/gate-text.ts';
import { Icon } from '../parts/icon.tsx';
import { At, Until } from '../parts/instant.tsx';
import { OrderHold } from './order-hold.tsx';

export function OrderLock({ order }: { readonly order: Order }) {
  const isHeld = Object.values(order.steps).some(({ held }) => held !== null);
  // Other steps of the order may be under way, for which it is claimed.
  const waits = isHeld && <OrderHold order={order} />;
  if (isHeld && order.processState === 'Pending') return waits;
  return (
    <>
      <Lock order={order} />
      {waits}
    </>
  );
}

function Lock({ order }: { readonly order: Order }) {
  const { processState, lockedBy, completeBy, notBefore } = order;
  if (lockedBy !== null && completeBy !== null) {
    return (
      <p class="lock">
        <Icon name="lock" />
        <span>
          Claimed by Scheduler <span class="id">{lockedBy}</span>; complete by{' '}
          <At at={completeBy} />, in <Until at={completeBy} />
        </span>
      </p>
    );
  }
  if (processState === 'Pending' && Date.parse(notBefore) > now.value) {
    return (
      <p class="lock">
        <Icon name="pause" />
        <span>
          It waits; it continues at <At at={notBefore} />, in <Until at={notBefore} />
          {mayBeReplaced(order) && `, ${mayBeReplacedText}`}
        </span>
      </p>
    );
  }
  const words = {
    Pending: 'It waits for a Scheduler.',
    Processing: 'A Scheduler has claimed it.',
    Error: 'It waits for an operator.',
    Processed: 'It is Processed.',
    Undone: 'It is Undone.',
  } as const;
  return (
    <p class="lock">
      <Icon name={processState === 'Processed' ? 'check' : 'lock'} />
      <span>{words[processState]}</span>
    </p>
  );
}
