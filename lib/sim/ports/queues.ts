/** The queues of a world. */
import type { Breach } from '#checkers/violation.ts';
import type { AgentName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Subject } from '#sim/orders/subject.ts';
import type { Setting } from '#sim/world/setting.ts';
import type { SimContext } from '#sim/world/sim-context.ts';
import { type SimQueue, simQueue } from './sim-queue.ts';

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

export function queuesOf<Queue>(
  { contracts }: Pick<Subject, 'contracts'>,
  queue: (name: string) => Queue,
): Queues<Queue> {
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

/**
 * Those of a world. In one process only the retry queue of the notifier is used. It is a table that keeps each notification until
 * it is delivered (lib/in-process/change-feed.ts), so nothing in it becomes a dead letter. A queue of a deployment has the limit:
 * its messages become dead letters too while the machines that receive them are frozen.
 */
export const simQueues = (
  { oneProcess, visibilityMs }: Pick<Setting, 'oneProcess' | 'visibilityMs'>,
  around: SimContext,
  onVisible: (queue: SimQueue) => void,
  breach: Breach,
): Queues =>
  queuesOf(around.subject, (name) =>
    simQueue({
      ...{ name, around, visibilityMs, onVisible, breach },
      receivesMax: oneProcess ? Number.POSITIVE_INFINITY : limits.receivesMax,
    }),
  );

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
