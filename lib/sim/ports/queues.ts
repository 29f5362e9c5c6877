/** The queues of a world. */
import type { AgentName } from '#core/model/ids.ts';
import { contracts } from '#sim/orders/sim-agents.ts';
import type { SimQueue } from './sim-queue.ts';

export interface Queues<Queue = SimQueue> {
  readonly submissions: Queue;
  readonly nudges: Queue;
  /** Deadline checks. */
  readonly checks: Queue;
  readonly requests: ReadonlyMap<AgentName, Queue>;
  readonly replies: ReadonlyMap<AgentName, Queue>;
  /** The notifier's retry queue; embedded, a table that outlives the process. */
  readonly retries: Queue;
}

export function queuesOf<Queue>(queue: (name: string) => Queue): Queues<Queue> {
  const perAgent = (kind: string) =>
    new Map<AgentName, Queue>(contracts.map(({ name }) => [name, queue(`${kind}-${name}`)]));
  return {
    submissions: queue('submissions'),
    nudges: queue('nudges'),
    checks: queue('checks'),
    requests: perAgent('requests'),
    replies: perAgent('replies'),
    retries: queue('retries'),
  };
}

/** The channels between roles, whose losses the Supervisor recovers. */
export const allOf = ({
  submissions,
  nudges,
  checks,
  requests,
  replies,
}: Queues): readonly SimQueue[] => [
  submissions,
  nudges,
  checks,
  ...requests.values(),
  ...replies.values(),
];
