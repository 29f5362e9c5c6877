/** The log of a function, with a metric for each event that has one. An event that does not happen costs nothing. */
import type { Log, LogFields } from '#ports/log.ts';
import type { publish } from './metrics.ts';

type Publish = typeof publish;

export const metered = (log: Log, publish: Publish): Log => ({
  ...log,
  warn(event, fields) {
    log.warn(event, fields);
    if (event === 'held-for-long') publish({ HeldAge: heldSeconds(fields) });
  },
  error(event, fields) {
    log.error(event, fields);
    if (event === 'endpoint-not-ejected') publish({ AgentsUnavailable: 1 });
  },
});

function heldSeconds({ heldMs }: LogFields): number {
  return typeof heldMs === 'number' ? heldMs / 1_000 : 0;
}

/** For a function of which most instances publish nothing: the code is loaded with the first metric. */
export function publishedOnDemand() {
  let publishing: Promise<void> = Promise.resolve();
  const publish: Publish = (values) => {
    if (!Object.values(values).some((value) => value > 0)) return;
    publishing = publishing.then(async () => (await import('./metrics.ts')).publish(values));
  };
  /** Resolves when all is published. Await it before the instance may be suspended. */
  const published = () => publishing;
  return { publish, published };
}
