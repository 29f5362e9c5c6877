/** R25: a step in doubt is retried, and undone, only where its idempotency key is known. */
import type { PoolMember } from '#core/definition/agent-pool.ts';
import type { AgentName } from '#core/model/ids.ts';
import { eachStep, isStartedAnew, mayHaveEffect } from './transition.ts';

/** R25: a step that may have had an effect does not leave the domain of the agent that may have caused it. */
const staysInDomain = eachStep((pair, transition) => {
  const { was, is, own } = pair;
  if (is.agent === was.agent || isStartedAnew(pair, transition)) return null;
  if (own.pool === undefined) return `went from ${was.agent} to ${is.agent} without a pool`;
  if (was.doubtUntil === null && !mayHaveEffect(own, was)) return null;
  const [before, after] = [was.agent, is.agent].map((agent) => domainOf(own.pool ?? [], agent));
  return before !== after && `may have had an effect at ${was.agent}, and went to ${is.agent}`;
});

/** The domain of an agent or a group of the pool; its name when it is none of them. */
export function domainOf(pool: readonly PoolMember[], agent: AgentName): string {
  return (
    pool.find((member) => member.agent === agent || member.sharedGroup === agent)?.domain ?? agent
  );
}

/** The rules with their names in docs/design.md. */
export const domainRules = [['R25', staysInDomain]] as const;
