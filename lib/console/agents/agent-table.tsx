/** The agents of a server that does not count their calls, as on AWS: what each of them does now, and what operators changed. */
import type { Agent, Agents } from '#console/api/documents.ts';
import type { Loaded } from '#console/api/keep-loaded.ts';
import { ordersHash } from '#console/parts/page-paths.ts';
import type { Tone } from '#console/parts/state-words.ts';
import { ColumnHeads } from '../parts/column-heads.tsx';
import { Ago } from '../parts/instant.tsx';
import { NotLoaded } from '../parts/notice.tsx';
import { ScrollBox } from '../parts/scroll-box.tsx';

export function NotCounted({ known }: { readonly known: Loaded<Agents> }) {
  return (
    <>
      <NotLoaded loaded={known} />
      {known.kind === 'shown' && <AgentTable {...known.body} />}
      <p class="aside">
        This server does not count the calls of agents for you. On AWS the dashboard of the stack
        shows them.
      </p>
    </>
  );
}

function AgentTable({ agents, pools }: Pick<Agents, 'agents' | 'pools'>) {
  return (
    <section class="card" aria-labelledby="agents">
      <div class="card-head">
        <h2 id="agents">What they do now</h2>
      </div>
      <ScrollBox class="table-box" label="What each agent does now">
        <table class="table">
          <ColumnHeads titles={['Agent', 'State', 'In flight', 'Waiting']} />
          <tbody>
            {agents.map((agent) => (
              <AgentRow key={agent.name} agent={agent} />
            ))}
            {pools.map(({ name, heldBack, waiting }) => (
              <tr key={`pool ${name}`}>
                <th scope="row">{name} (pool)</th>
                <td>{heldBack && <span data-tone="bad">no member takes new calls</span>}</td>
                <td class="figures">–</td>
                <td class="figures">
                  <Waiting name={name} waiting={waiting} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </section>
  );
}

const tones: Readonly<Record<Agent['state'], Tone>> = {
  healthy: 'good',
  'circuit-open': 'bad',
  recovering: 'back',
  draining: 'idle',
  drained: 'idle',
};

function AgentRow({ agent }: { readonly agent: Agent }) {
  const { name, member, state, circuit, drained, inFlight, waiting } = agent;
  return (
    <tr>
      <th scope="row">
        {name}
        {member !== null && <span class="soft"> of {member.pool}</span>}
      </th>
      <td>
        <span class="badge" data-tone={tones[state]}>
          {state.replace('-', ' ')}
        </span>
        <span class="soft small">
          {drained !== null && (
            <>
              {' '}
              by {drained.by} <Ago at={drained.at} />
            </>
          )}
          {circuit.since !== null && (
            <>
              {' '}
              circuit {circuit.state.replace('-', ' ')}, opened <Ago at={circuit.since} />
            </>
          )}
        </span>
      </td>
      <td class="figures">{inFlight ?? '–'}</td>
      <td class="figures">
        <Waiting name={name} waiting={waiting} />
      </td>
    </tr>
  );
}

interface WaitingProps {
  readonly name: string;
  /** Null: not known. */
  readonly waiting: number | null;
}

function Waiting({ name, waiting }: WaitingProps) {
  if (waiting === null || waiting === 0) return <>{waiting ?? '–'}</>;
  return <a href={ordersHash({ agent: name, held: 'true' })}>{waiting.toLocaleString('en')}</a>;
}
