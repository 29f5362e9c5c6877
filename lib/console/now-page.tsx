/** What happens now. */
import type { ReadonlySignal } from '@preact/signals';
import { AgentLoad } from './agent-load.tsx';
import { Attention } from './attention.tsx';
import type { ActivityDocument } from './documents.ts';
import { Flow } from './flow-list.tsx';
import { HourChart } from './hour-chart.tsx';
import { LastSweep } from './last-sweep.tsx';
import { StandingTiles } from './standing-tiles.tsx';
import { isCounted, useActivity } from './use-activity.ts';
import type { Loaded } from './use-document.ts';

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
      <StandingTiles activity={document} />
      <HourChart activity={document} />
    </>
  );
}
