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
    if (event === 'notification-failed') publish({ UndeliveredAge: undeliveredSeconds(fields) });
    if (event === 'messages-returned') publish({ MessageReceives: receivesOf(fields) });
  },
  error(event, fields) {
    log.error(event, fields);
    if (event === 'endpoint-not-ejected') publish({ AgentsUnavailable: 1 });
  },
});

function heldSeconds({ heldMs }: LogFields): number {
  return typeof heldMs === 'number' ? heldMs / 1_000 : 0;
}

/** Shorter waits have no metric: a receiver may be down for some minutes. */
const undeliveredMinMs = 15 * 60_000;

function undeliveredSeconds({ waitedMs }: LogFields): number {
  return typeof waitedMs === 'number' && waitedMs >= undeliveredMinMs ? waitedMs / 1_000 : 0;
}

function receivesOf({ receives }: LogFields): number {
  return typeof receives === 'number' ? receives : 0;
}

/** For a function of which most instances publish nothing: the code is loaded with the first metric. */
export function publishedOnDemand(
  load: () => Promise<{ readonly publish: Publish }> = () => import('./metrics.ts'),
) {
  const loaded = onDemand(load);
  let publishing: Promise<void>[] = [];
  const publish: Publish = (values, dimensions) => {
    if (!Object.values(values).some((value) => value > 0)) return;
    const own = loaded().then((metrics) => metrics.publish(values, dimensions));
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
