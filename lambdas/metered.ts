/** The log of a function, with a metric for each event that has one. An event that does not happen costs nothing. */
import type { Log, LogFields } from '#ports/log.ts';
import { allEnded } from '#roles/all-ended.ts';
import type { publish } from './metrics.ts';
import { onDemand } from './on-demand.ts';

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
export function publishedOnDemand(
  load: () => Promise<{ readonly publish: Publish }> = () => import('./metrics.ts'),
) {
  const loaded = onDemand(load);
  let publishing: Promise<void>[] = [];
  const publish: Publish = (values) => {
    if (!Object.values(values).some((value) => value > 0)) return;
    const own = loaded().then((metrics) => metrics.publish(values));
    // `published` rejects; until it is called, the rejection must not end the process.
    own.catch(() => {});
    publishing.push(own);
  };
  /** Resolves when all is published that came since the last call. Await it before the instance may be suspended. */
  async function published(): Promise<void> {
    const all = publishing;
    publishing = [];
    await allEnded(all);
  }
  return { publish, published };
}
