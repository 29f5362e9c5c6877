/** How many orders are alive, by state, and how many came to their end in the last hour. */
import { totals } from './chart-shape.ts';
import type { ActivityDocument } from './documents.ts';
import { Icon } from './icon.tsx';
import { ordersHash } from './routes.ts';
import { processLook } from './state-words.ts';

const alive = ['Pending', 'Processing', 'Error'] as const;
const what = {
  Pending: 'wait for their turn',
  Processing: 'are being worked on',
  Error: 'wait for a person',
} as const;

export function StandingTiles({ activity }: { readonly activity: ActivityDocument | null }) {
  const hour = activity === null ? null : totals(activity.minutes);
  return (
    <ul class="tiles" aria-label="Orders">
      {alive.map((state) => (
        <li key={state}>
          <a class="tile" href={ordersHash({ state })} data-tone={processLook(state).tone}>
            <span class="tile-label">
              <Icon name={processLook(state).sign} /> {state}
            </span>
            <span class="tile-figure">{activity?.orders[state].toLocaleString('en') ?? '–'}</span>
            <span class="tile-note">{what[state]}</span>
          </a>
        </li>
      ))}
      <li>
        <a class="tile" href={ordersHash({ state: 'Processed' })} data-tone="good">
          <span class="tile-label">
            <Icon name="check" /> Processed
          </span>
          <span class="tile-figure">{hour?.processed.toLocaleString('en') ?? '–'}</span>
          <span class="tile-note">in the last hour</span>
        </a>
      </li>
    </ul>
  );
}
