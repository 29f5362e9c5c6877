/** How an agent does, in one word. */
import { healthOf } from './agent-health.ts';
import type { AgentActivity } from './documents.ts';
import { Icon } from './icon.tsx';

export function HealthBadge({ agent }: { readonly agent: AgentActivity }) {
  const { word, tone, icon, title } = healthOf(agent);
  return (
    <span class="badge" data-tone={tone} title={title}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
