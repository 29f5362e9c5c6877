/**
 * The endpoints that one of several instances of an agent has ejected, for the others. While calls succeed, nothing is read
 * or stored: an instance reads after a failed call, at most once per second, and stores an ejection of its own.
 */
import { errorKind } from '#core/model/errors.ts';
import type { Clock } from '#ports/clock.ts';
import type { Ejections } from '#ports/health/ejections.ts';
import type { Log } from '#ports/log.ts';
import type { EjectionShare } from '#roles/agent/endpoint-tries.ts';
import { isOlder } from './read-age.ts';

/** Options of {@link sharedEjections}. */
export interface SharedEjectionsOptions {
  readonly agent: string;
  readonly ejections: Ejections;
  readonly clock: Clock;
  readonly log: Log;
}

/** See {@link sharedEjections}. */
export interface SharedEjections extends EjectionShare {
  /** Resolves when what the latest calls led to is stored. Await it before the instance may be suspended. */
  stored(): Promise<void>;
}

/** What others have ejected is read at most so often, ms. */
const readEveryMs = 1_000;

/** Makes the share of one instance. Errors of the store are logged, and the instance goes by its own calls. */
export function sharedEjections(options: SharedEjectionsOptions): SharedEjections {
  const { agent, ejections, clock, log } = options;
  let readAt = Number.NEGATIVE_INFINITY;
  let storing: Promise<void> = Promise.resolve();

  function later(work: () => Promise<void>): void {
    storing = storing.then(work).catch((error: unknown) => {
      log.warn('ejections-unavailable', { agent, error: errorKind(error) });
    });
  }

  return {
    ejected(ejection) {
      later(() => ejections.store(agent, ejection, clock.now()));
    },
    failed(adopt) {
      const nowMs = clock.now();
      if (!isOlder(readAt, readEveryMs, nowMs)) return;
      readAt = nowMs;
      later(async () => adopt(await ejections.read(agent)));
    },
    stored: () => storing,
  };
}
