/** The keys of the limits of one agent or pool that calls have had, each with the steps that wait for it. */
import { type AgentLimit, keyOf } from '#core/definition/agent-limit.ts';
import { errorFields } from '#core/model/errors.ts';
import type { Request } from '#core/model/message.ts';
import type { Log } from '#ports/log.ts';
import { type LimitQueue, type LimitQueueOptions, limitQueue } from './limit-queue.ts';

/** Options of {@link limitKeys}. */
export interface LimitKeysOptions extends Omit<LimitQueueOptions, 'limit' | 'startedAt'> {
  /** The narrowest first. */
  readonly limits: readonly AgentLimit[];
  readonly log: Log;
}

/** See {@link limitKeys}. */
export interface LimitKeys {
  /** The keys that the call counts for, the narrowest first. */
  of(request: Request): readonly LimitQueue[];
  /** See {@link LimitQueue}. */
  fill(): void;
  /** Lets no step pass any more. */
  close(): void;
}

/** New keys after which those that can be forgotten are looked for. */
const newKeysMax = 1_000;

/**
 * Makes an empty set of keys.
 *
 * @param isUsed whether a step refers to the key
 */
export function limitKeys(
  options: LimitKeysOptions,
  isUsed: () => (key: LimitQueue) => boolean,
): LimitKeys {
  const { limits, log, clock } = options;
  const startedAt = clock.now();
  const keys = limits.map((limit) => ({ limit, known: new Map<string | symbol, LimitQueue>() }));
  let added = 0;

  function* all(): Iterable<LimitQueue> {
    for (const { known } of keys) yield* known.values();
  }
  options.weights.watch((tenant) => {
    for (const queue of all()) queue.reweigh(tenant);
  });

  function forgetIdle(): void {
    added = 0;
    const isKept = isUsed();
    for (const { known } of keys) {
      for (const [key, queue] of known) if (queue.isIdle() && !isKept(queue)) known.delete(key);
    }
  }

  return {
    of(request) {
      const failed = (limit: AgentLimit) => (error: unknown) =>
        log.error('limit-key-failed', {
          agent: request.agent,
          limit: limit.name,
          ...errorFields(error),
        });
      if (added > newKeysMax) forgetIdle();
      return keys.flatMap(({ limit, known }) => {
        const key = keyOf(limit, request, failed(limit));
        if (key === null) return [];
        const queue = known.get(key) ?? limitQueue({ ...options, limit, startedAt });
        if (!known.has(key)) added += 1;
        known.set(key, queue);
        return [queue];
      });
    },
    fill() {
      for (const queue of all()) queue.fill();
    },
    close() {
      for (const queue of all()) queue.close();
    },
  };
}
