/** The health of an agent. */

import type { AgentActivity } from '#console/api/documents.ts';
import { Icon } from '../parts/icon.tsx';
import { healthOf } from './agent-health.ts';

export function HealthBadge({ agent }: { readonly agent: AgentActivity }) {
  const { word, tone, icon, title } = healthOf(agent);
  return (
    <span class="badge" data-tone={tone} title={title}>
      <Icon name={icon} />
      {word}
    </span>
  );
}
