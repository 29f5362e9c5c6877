/** What waits: orders for a Scheduler or an agent, due orders for the Supervisor, and messages for their receivers; and what was refused. */
import type { ActivityDocument } from '#console/api/documents.ts';
import { lengthText } from '#console/parts/instants.ts';
import { Ago, At } from '../parts/instant.tsx';
import { channelText } from './channel-text.ts';

/** A Supervisor that is less behind than this is on time, ms: the sweep period, and a sweep. */
const lagMinMs = 5_000;

type Props = Pick<ActivityDocument, 'flow' | 'channels'>;

export function FlowText({ flow, channels }: Props) {
  const { waiting, nudgeSince, sweepLagMs, refused, lastRefusedAt } = flow;
  const classes = (['high', 'normal', 'low'] as const).filter((each) => refused[each] > 0);
  return (
    <>
      {waiting > 0 && (
        <p class="soft small">
          {waiting.toLocaleString('en')} {waiting === 1 ? 'order waits' : 'orders wait'} for a
          Scheduler or an agent
          {nudgeSince !== null && (
            <>
              ; the first that waits for a Scheduler was nudged <Ago at={nudgeSince} />
            </>
          )}
        </p>
      )}
      {sweepLagMs >= lagMinMs && (
        <p class="soft small">The Supervisor is {lengthText(sweepLagMs)} behind.</p>
      )}
      {channels.map(({ name, undelivered, failingSince }) =>
        failingSince === null ? null : (
          <p class="aside" data-tone="bad" key={name ?? ''}>
            {channelText(name, undelivered)} since <At at={failingSince} />
          </p>
        ),
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
