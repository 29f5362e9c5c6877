/** The load of each agent: calls in flight, waiting calls, and the age of the oldest. */
import type { ReadonlySignal } from '@preact/signals';
import type { ActivityDocument, AgentActivity } from '#console/api/documents.ts';
import type { Loaded } from '#console/api/keep-loaded.ts';
import { Ago } from '../parts/instant.tsx';
import { NotLoaded } from '../parts/notice.tsx';
import { ScrollBox } from '../parts/scroll-box.tsx';
import { FlowText } from './flow-text.tsx';
import { HealthBadge } from './health-badge.tsx';

const heldSteps = ({ held }: AgentActivity) => held.reduce((sum, { steps }) => sum + steps, 0);

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
      {loaded.kind === 'shown' && <FlowText {...loaded.body} />}
      {loaded.kind === 'shown' && (
        <ScrollBox class="table-box" label="Load of each agent">
          <table class="table dense">
            <thead>
              <tr>
                <th scope="col">Agent</th>
                <th scope="col" class="number">
                  In flight
                </th>
                <th scope="col" class="number">
                  Waiting
                </th>
                <th scope="col" class="number secondary">
                  Held
                </th>
                <th scope="col" class="number secondary">
                  Oldest
                </th>
                <th scope="col">Last hour</th>
              </tr>
            </thead>
            <tbody>
              {loaded.body.agents.map((agent) => (
                <tr key={agent.name}>
                  <th scope="row">{agent.name}</th>
                  <td class="number figures">{agent.inFlight}</td>
                  <td class="number figures">{agent.waiting}</td>
                  <td class="number figures secondary">{heldSteps(agent)}</td>
                  <td class="number soft secondary">
                    {agent.oldestAt === null ? '–' : <Ago at={agent.oldestAt} />}
                  </td>
                  <td>
                    <HealthBadge agent={agent} />
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
