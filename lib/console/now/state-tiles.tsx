/** The numbers of live orders by state, and of orders that ended in the last hour. */

import type { ActivityDocument } from '#console/api/documents.ts';
import { totals } from '#console/chart/chart-shape.ts';
import { ordersHash } from '#console/parts/page-paths.ts';
import { processStyle } from '#console/parts/state-words.ts';
import { Icon } from '../parts/icon.tsx';

const alive = ['Pending', 'Processing', 'Error'] as const;
const what = {
  Pending: 'wait to begin or go on',
  Processing: 'in progress',
  Error: 'wait for an operator',
} as const;

export function StateTiles({ activity }: { readonly activity: ActivityDocument | null }) {
  const hour = activity === null ? null : totals(activity.minutes);
  return (
    <ul class="tiles" aria-label="Orders">
      {alive.map((state) => (
        <li key={state}>
          <a class="tile" href={ordersHash({ state })} data-tone={processStyle(state).tone}>
            <span class="tile-label">
              <Icon name={processStyle(state).sign} /> {state}
            </span>
            <span class="tile-figure">{activity?.orders[state].toLocaleString('en') ?? '–'}</span>
            <span class="tile-note">
              {activity?.counting ? 'at least; still being counted' : what[state]}
            </span>
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
