/** The lock of the order and its complete-by, or what the order waits for. */

import type { Order } from '#console/api/documents.ts';
import { now } from '#console/parts/server-clock.ts';
import { Icon } from '../parts/icon.tsx';
import { At, Until } from '../parts/instant.tsx';

export function OrderLock({ order }: { readonly order: Order }) {
  const { processState, lockedBy, completeBy, notBefore } = order;
  if (lockedBy !== null && completeBy !== null) {
    return (
      <p class="lock">
        <Icon name="lock" />
        <span>
          Scheduler <span class="id">{lockedBy}</span> has it; complete by <At at={completeBy} />,
          in <Until at={completeBy} />
        </span>
      </p>
    );
  }
  if (processState === 'Pending' && Date.parse(notBefore) > now.value) {
    return (
      <p class="lock">
        <Icon name="pause" />
        <span>
          Nobody has it: it waits, and goes on at <At at={notBefore} />, in <Until at={notBefore} />
        </span>
      </p>
    );
  }
  const words = {
    Pending: 'Nobody has it yet: it waits for a Scheduler.',
    Processing: 'A Scheduler has it.',
    Error: 'Nobody has it: it waits for a person.',
    Processed: 'It is done.',
    Undone: 'It came to its end: undone.',
  } as const;
  return (
    <p class="lock">
      <Icon name={processState === 'Processed' ? 'check' : 'lock'} />
      <span>{words[processState]}</span>
    </p>
  );
}
