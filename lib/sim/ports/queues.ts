/** The queues of a world. */
import type { AgentName } from '#core/model/ids.ts';
import { contracts } from '#sim/world/sim-workflows.ts';
import type { SimQueue } from './sim-queue.ts';

export interface Queues {
  readonly submissions: SimQueue;
  readonly nudges: SimQueue;
  /** Deadline checks. */
  readonly checks: SimQueue;
  readonly requests: ReadonlyMap<AgentName, SimQueue>;
  readonly replies: ReadonlyMap<AgentName, SimQueue>;
  /** The notifier's retry queue; embedded, a table that outlives the process. */
  readonly retries: SimQueue;
}

export function queuesOf(queue: (name: string) => SimQueue): Queues {
  const perAgent = (kind: string) =>
    new Map<AgentName, SimQueue>(contracts.map(({ name }) => [name, queue(`${kind}-${name}`)]));
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
