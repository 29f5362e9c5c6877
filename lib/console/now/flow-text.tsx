/** What waits for Reeve itself: orders for a Scheduler, due orders for the Supervisor, and what was refused. */
import type { ActivityDocument } from '#console/api/documents.ts';
import { lengthText } from '#console/parts/instants.ts';
import { Ago } from '../parts/instant.tsx';

/** A Supervisor that is less behind than this is on time, ms: the sweep period, and a sweep. */
const lagMinMs = 5_000;

export function FlowText({ flow }: { readonly flow: ActivityDocument['flow'] }) {
  const { waiting, nudgeSince, sweepLagMs, refused, lastRefusedAt } = flow;
  const classes = (['high', 'normal', 'low'] as const).filter((each) => refused[each] > 0);
  return (
    <>
      {waiting > 0 && (
        <p class="soft small">
          {waiting.toLocaleString('en')} {waiting === 1 ? 'order waits' : 'orders wait'}
          {nudgeSince !== null && (
            <>
              , for a Scheduler since <Ago at={nudgeSince} />
            </>
          )}
        </p>
      )}
      {sweepLagMs >= lagMinMs && (
        <p class="soft small">The Supervisor is {lengthText(sweepLagMs)} behind.</p>
      )}
      {lastRefusedAt !== null && (
        <p class="soft small">
          Refused since the start:{' '}
          {classes.map((each) => `${refused[each].toLocaleString('en')} ${each}`).join(', ')}; the
          last <Ago at={lastRefusedAt} />
        </p>
      )}
    </>
  );
}
