/** The time of the Supervisor's last completed sweep. */

import { useDocument } from '#console/api/use-document.ts';
import type { HealthDocument } from '#http/service-schemas.ts';
import { Ago } from '../parts/instant.tsx';

/** Degraded health has status 503: a refusal without a problem document. */
export function LastSweep() {
  const loaded = useDocument<HealthDocument>('/healthz', { restMs: 2_000, everyMs: 5_000 }).value;
  if (loaded.kind === 'refused') {
    return (
      <p class="aside" data-tone="bad">
        The Supervisor has not swept of late: nothing that times out is recovered.
      </p>
    );
  }
  const at = loaded.kind === 'shown' ? loaded.body.lastSweepAt : null;
  return (
    <p class="aside">
      {at === null ? (
        ' '
      ) : (
        <>
          Supervisor swept <Ago at={at} />
        </>
      )}
    </p>
  );
}
