/** What lies with each agent: calls out, calls that wait, and how long the oldest stands still. */
import type { ReadonlySignal } from '@preact/signals';
import { BreakerBadge } from './breaker-badge.tsx';
import type { ActivityDocument } from './documents.ts';
import { Ago } from './instant.tsx';
import { NotLoaded } from './notice.tsx';
import { ScrollBox } from './scroll-box.tsx';
import type { Loaded } from './use-document.ts';

export function AgentLoad({
  activity,
}: {
  readonly activity: ReadonlySignal<Loaded<ActivityDocument>>;
}) {
  const loaded = activity.value;
  return (
    <section class="card" aria-labelledby="load-title">
      <div class="card-head">
        <h2 id="load-title">Agents</h2>
        <a class="more" href="#/agents">
          How they do
        </a>
      </div>
      <NotLoaded loaded={loaded} />
      {loaded.kind === 'shown' && (
        <ScrollBox class="table-box" label="What lies with each agent">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">Agent</th>
                <th scope="col" class="number">
                  Out
                </th>
                <th scope="col" class="number">
                  Waiting
                </th>
                <th scope="col" class="number">
                  Oldest
                </th>
                <th scope="col">Breaker</th>
              </tr>
            </thead>
            <tbody>
              {loaded.body.agents.map(({ name, inFlight, waiting, oldestAt, breaker }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td class="number figures">{inFlight}</td>
                  <td class="number figures">{waiting}</td>
                  <td class="number soft">{oldestAt === null ? '–' : <Ago at={oldestAt} />}</td>
                  <td>
                    <BreakerBadge state={breaker} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </section>
  );
}
