/** The start page: the present state of all orders. */
import type { ReadonlySignal } from '@preact/signals';
import type { ActivityDocument } from '#console/api/documents.ts';
import type { Loaded } from '#console/api/keep-loaded.ts';
import { isCounted, useActivity } from '#console/api/use-activity.ts';
import { HourChart } from '../chart/hour-chart.tsx';
import { AgentLoad } from '../now/agent-load.tsx';
import { Attention } from '../now/attention.tsx';
import { Flow } from '../now/flow-list.tsx';
import { LastSweep } from '../now/last-sweep.tsx';
import { StateTiles } from '../now/state-tiles.tsx';

export function NowPage() {
  const activity = useActivity();
  const counted = isCounted(activity.value);
  return (
    <div class="page">
      <div class="page-head">
        <h1>Now</h1>
        <LastSweep />
      </div>
      <Attention />
      {counted && <Counted activity={activity} />}
      <div class={counted ? 'columns' : ''}>
        <Flow />
        {counted && <AgentLoad activity={activity} />}
      </div>
    </div>
  );
}

function Counted({ activity }: { readonly activity: ReadonlySignal<Loaded<ActivityDocument>> }) {
  const loaded = activity.value;
  const document = loaded.kind === 'shown' ? loaded.body : null;
  return (
    <>
      <StateTiles activity={document} />
      <HourChart activity={document} />
    </>
  );
}
