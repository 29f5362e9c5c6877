/** Selects a queue by priority. */
import { DefinitionError } from '#core/model/errors.ts';
import type { Priority } from '#core/model/record.ts';

/** Queue URLs of the deployed priority classes; `normal` is always deployed. */
export type PriorityQueues = Readonly<Partial<Record<Priority, string>>>;

/** The queue of each of these classes. */
export const queuesOf = (
  priorities: readonly Priority[],
  queueOf: (priority: Priority) => string,
): PriorityQueues =>
  Object.fromEntries(priorities.map((priority) => [priority, queueOf(priority)]));

/** A priority without its own queue uses that of `normal`. @throws {DefinitionError} `queue-missing` */
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
