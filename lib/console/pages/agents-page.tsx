/** The agents: health, load and latencies. */
import type { AgentActivity, Agents, PoolActivity } from '#console/api/documents.ts';
import { isCounted, useActivity } from '#console/api/use-activity.ts';
import { useDocument } from '#console/api/use-document.ts';
import { ordersHash } from '#console/parts/page-paths.ts';
import { now } from '#console/parts/server-clock.ts';
import { gateReason } from '#text/gate-text.ts';
import { Endpoints, Latencies, Outcomes, percent } from '../agents/agent-figures.tsx';
import { NotCounted } from '../agents/agent-table.tsx';
import { HealthBadge } from '../now/health-badge.tsx';
import { Ago, At, Until } from '../parts/instant.tsx';
import { Limits } from '../parts/limit-table.tsx';
import { NotLoaded } from '../parts/notice.tsx';

/** Operators change agents rarely; between two requests for what they changed, ms. */
const everyMs = 10_000;

export function AgentsPage() {
  const loaded = useActivity().value;
  const known = useDocument<Agents>('/agents', { restMs: 1_000, everyMs }).value;
  const counted = isCounted(loaded);
  return (
    <div class="page">
      <div class="page-head">
        <h1>Agents</h1>
        {counted && (
          <p class="aside">
            Calls of the last hour. Latencies of the last thousand that succeeded or timed out; one
            that timed out counts with its whole deadline.
          </p>
        )}
      </div>
      {counted ? <NotLoaded loaded={loaded} /> : <NotCounted known={known} />}
      {known.kind === 'shown' && <Limits limits={known.body.limits} />}
      {loaded.kind === 'shown' && (
        <div class="grid">
          {loaded.body.agents.map((agent) => (
            <AgentCard key={agent.name} agent={agent} />
          ))}
          {loaded.body.pools.map((pool) => (
            <PoolCard key={pool.name} pool={pool} />
          ))}
        </div>
      )}
    </div>
  );
}

function AgentCard({ agent }: { readonly agent: AgentActivity }) {
  const { name, circuit, successRate, inFlight, waiting, oldestAt } = agent;
  return (
    <section class="card" aria-labelledby={`agent-${name}`}>
      <div class="card-head">
        <h2 id={`agent-${name}`}>{name}</h2>
        <HealthBadge agent={agent} />
      </div>
      <Operated agent={agent} />
      <p class="big-figure">
        {successRate === null ? '–' : percent(successRate)}
        <span class="soft"> of calls succeeded</span>
      </p>
      <Outcomes agent={agent} />
      <dl class="facts">
        <div>
          <dt>In flight</dt>
          <dd class="figures">{inFlight}</dd>
        </div>
        <div>
          <dt>Waiting</dt>
          <dd class="figures">{waiting}</dd>
        </div>
        <div>
          <dt>Oldest</dt>
          <dd>{oldestAt === null ? '–' : <Ago at={oldestAt} />}</dd>
        </div>
        <div>
          <dt>Circuit</dt>
          <dd>{circuit.state.replace('-', ' ')}</dd>
        </div>
        <CircuitFacts circuit={circuit} />
      </dl>
      <HeldSteps of={agent} />
      <Latencies latencyMs={agent.latencyMs} />
      <Endpoints endpoints={agent.endpoints} />
      <a class="more" href={ordersHash({ agent: name })}>
        Orders with it
      </a>
    </section>
  );
}

/** What it is in its pool, and what operators changed of it. */
function Operated({
  agent: { member, drained },
}: {
  readonly agent: Pick<AgentActivity, 'member' | 'drained'>;
}) {
  return (
    <>
      {member !== null && (
        <p class="soft small">
          Member of {member.pool}, domain {member.domain}, weight {member.weight}
          {member.changed !== null && (
            <>
              {' '}
              (set by {member.changed.by} <Ago at={member.changed.at} />)
            </>
          )}
        </p>
      )}
      {drained !== null && (
        <p class="soft small">
          Drained by {drained.by} <Ago at={drained.at} />
        </p>
      )}
    </>
  );
}

/** What waits for any member of a pool; the members have cards of their own. */
function PoolCard({ pool }: { readonly pool: PoolActivity }) {
  const { name, members, waiting, oldestAt } = pool;
  return (
    <section class="card" aria-labelledby={`pool-${name}`}>
      <div class="card-head">
        <h2 id={`pool-${name}`}>{name}</h2>
        <span class="badge">pool</span>
      </div>
      <p class="soft">{members.join(', ')}</p>
      <dl class="facts">
        <div>
          <dt>Waiting</dt>
          <dd class="figures">{waiting}</dd>
        </div>
        <div>
          <dt>Oldest</dt>
          <dd>{oldestAt === null ? '–' : <Ago at={oldestAt} />}</dd>
        </div>
      </dl>
      <HeldSteps of={pool} />
      <a class="more" href={ordersHash({ agent: name })}>
        Orders with it
      </a>
    </section>
  );
}

function CircuitFacts({ circuit: { since, probeAt, epoch } }: Pick<AgentActivity, 'circuit'>) {
  if (since === null) return null;
  return (
    <>
      <div>
        <dt>Since</dt>
        <dd>
          <At at={since} />
        </dd>
      </div>
      <div>
        <dt>Next probe</dt>
        <dd>
          <ProbeText probeAt={probeAt} />
        </dd>
      </div>
      <div>
        <dt>Epoch</dt>
        <dd class="figures">{epoch}</dd>
      </div>
    </>
  );
}

/** A probe that is due is made by the next step that needs the agent. */
function ProbeText({ probeAt }: Pick<AgentActivity['circuit'], 'probeAt'>) {
  if (probeAt === null) return 'none planned';
  return Date.parse(probeAt) > now.value ? <Until at={probeAt} /> : 'with the next step';
}

function HeldSteps({ of: { name, held } }: { readonly of: Pick<AgentActivity, 'name' | 'held'> }) {
  return (
    <>
      {held.map(({ gate, steps, since }) => (
        <p class="soft small" key={gate}>
          <a href={ordersHash({ agent: name, held: 'true' })}>
            {steps.toLocaleString('en')} {steps === 1 ? 'step waits' : 'steps wait'}
          </a>
          , because {gateReason(gate)}; the first since <At at={since} />
        </p>
      ))}
    </>
  );
}
