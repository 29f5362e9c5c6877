/** Which queue a priority goes to. */
import { DefinitionError } from '#core/model/errors.ts';
import type { Priority } from '#core/model/record.ts';

/** Queue URLs of the priority classes that are deployed; `normal` always is. */
export type PriorityQueues = Readonly<Partial<Record<Priority, string>>>;

/** The queue of each of these classes. */
export const queuesOf = (
  priorities: readonly Priority[],
  queueOf: (priority: Priority) => string,
): PriorityQueues =>
  Object.fromEntries(priorities.map((priority) => [priority, queueOf(priority)]));

/** A priority without a queue of its own shares that of `normal`. */
export function byPriority(
  queues: PriorityQueues,
): (message: { readonly priority: Priority }) => string {
  return ({ priority }) => {
    const queue = queues[priority] ?? queues.normal;
    if (queue !== undefined) return queue;
    throw new DefinitionError(
      'queue-missing',
      `There is no queue for priority ${priority}, nor one for normal. Deploy again.`,
    );
  };
}
