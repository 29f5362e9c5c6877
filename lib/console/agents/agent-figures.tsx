/** What is counted of an agent: how its calls ended, how long they took, and what its endpoints do. */
import type { AgentActivity } from '#console/api/documents.ts';
import { lengthText } from '#console/parts/instants.ts';
import { Until } from '../parts/instant.tsx';

const tones = { healthy: 'good', failing: 'bad', ejected: 'back' } as const;

export function Endpoints({ endpoints }: Pick<AgentActivity, 'endpoints'>) {
  if (endpoints.length === 0) return null;
  return (
    <ul class="endpoints" aria-label="Endpoints of its service">
      {endpoints.map(({ url, state, inFlight, latencyMs, ejectedUntil }) => (
        <li key={url}>
          <span class="badge" data-tone={tones[state]}>
            {state}
          </span>
          <span>{url}</span>
          <span class="soft small">
            {inFlight} in flight
            {latencyMs !== null && `, ${lengthText(latencyMs)}`}
            {ejectedUntil !== null && (
              <>
                , called again <Until at={ejectedUntil} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Never rounded up to 100, so that one failed call stays visible. */
export function percent(rate: number): string {
  const digits = Math.floor(rate * 1_000) / 10;
  return `${digits.toFixed(digits === 100 || digits === 0 ? 0 : 1)} %`;
}

const outcomes = [
  { name: 'succeeded', word: 'succeeded', tone: 'good' },
  { name: 'failed', word: 'failed', tone: 'bad' },
  { name: 'timedOut', word: 'timed out', tone: 'back' },
] as const;

export function Outcomes({ agent }: { readonly agent: AgentActivity }) {
  const said = outcomes.map(({ name, word }) => `${agent[name].toLocaleString('en')} ${word}`);
  return (
    <>
      <div class="split" aria-hidden="true">
        {outcomes
          .filter(({ name }) => agent[name] > 0)
          .map(({ name, tone }) => (
            <span key={name} data-tone={tone} style={{ flexGrow: String(agent[name]) }} />
          ))}
      </div>
      <p class="soft small">{said.join(' · ')}</p>
    </>
  );
}

const parts = ['p50', 'p95', 'p99'] as const;

export function Latencies({ latencyMs }: Pick<AgentActivity, 'latencyMs'>) {
  const longest = Math.max(1, latencyMs?.p99 ?? 1);
  return (
    <dl class="latencies">
      {parts.map((part) => (
        <div key={part}>
          <dt>{part}</dt>
          <dd class="figures">{latencyMs === null ? '–' : lengthText(latencyMs[part])}</dd>
          <span class="meter" aria-hidden="true">
            <span style={{ width: `${((latencyMs?.[part] ?? 0) / longest) * 100}%` }} />
          </span>
        </div>
      ))}
    </dl>
  );
}
