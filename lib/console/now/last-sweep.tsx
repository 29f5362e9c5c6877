/** The time of the Supervisor's last completed sweep, or the faults of Reeve. */

import { useDocument } from '#console/api/use-document.ts';
import type { HealthDocument } from '#http/service-schemas.ts';
import { sentence } from '#text/sentence.ts';
import { Ago } from '../parts/instant.tsx';
import { faultTexts } from './health-text.ts';

export function LastSweep() {
  const loaded = useDocument<HealthDocument>('/healthz', { restMs: 2_000, everyMs: 5_000 }).value;
  if (loaded.kind === 'refused') {
    return <p class="aside">Whether Reeve works is not known: {sentence(loaded.problem.title)}</p>;
  }
  const faults = loaded.kind === 'shown' ? faultTexts(loaded.body) : [];
  if (faults.length > 0) {
    return (
      <p class="aside" data-tone="bad">
        {faults.join(' ')}
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
