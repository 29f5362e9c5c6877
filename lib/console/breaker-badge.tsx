/** The circuit breaker of an agent's service. */
import type { AgentActivity } from './documents.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-paths.ts';
import type { Tone } from './state-words.ts';

interface Look {
  readonly word: string;
  readonly tone: Tone;
  readonly icon: IconName;
  readonly title: string;
}

const looks: Readonly<Record<NonNullable<AgentActivity['breaker']>, Look>> = {
  closed: { word: 'Closed', tone: 'good', icon: 'check', title: 'Calls go through.' },
  open: {
    word: 'Open',
    tone: 'bad',
    icon: 'cross',
    title: 'The service failed too often; calls are kept away from it for a moment.',
  },
  'half-open': {
    word: 'Half open',
    tone: 'back',
    icon: 'wait',
    title: 'One call tries whether the service is back.',
  },
};

export function BreakerBadge({ state }: { readonly state: AgentActivity['breaker'] }) {
  if (state === null) return <span class="soft">–</span>;
  const { word, tone, icon, title } = looks[state];
  return (
    <span class="badge" data-tone={tone} title={title}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
