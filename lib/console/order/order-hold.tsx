/** What an order waits for whose steps are held: the agent or the earlier orders, why, since when, and when its service is tested next. */
import type { Order } from '#console/api/documents.ts';
import { useActivity } from '#console/api/use-activity.ts';
import { now } from '#console/parts/server-clock.ts';
import { Icon } from '../parts/icon.tsx';
import { At, Until } from '../parts/instant.tsx';
import { type Wait, waitsOf } from './waits.ts';

/** On AWS there is no activity, and so no next probe. */
export function OrderHold({ order }: { readonly order: Order }) {
  const activity = useActivity().value;
  const agents = activity.kind === 'shown' ? activity.body.agents : [];
  return (
    <p class="lock">
      <Icon name="pause" />
      <span>
        {waitsOf(order, agents).map((wait, at) => (
          <span key={wait.what}>
            {at > 0 && '; '}
            <WaitText wait={wait} />
          </span>
        ))}
      </span>
    </p>
  );
}

function WaitText({ wait: { what, since, probeAt } }: { readonly wait: Wait }) {
  const isAhead = probeAt !== null && Date.parse(probeAt) > now.value;
  return (
    <>
      Waits for {what}, since <At at={since} />
      {isAhead && (
        <>
          , next probe in <Until at={probeAt} />
        </>
      )}
    </>
  );
}
