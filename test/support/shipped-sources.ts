/** The entry modules of the functions with the shipped workflow, and of agents that are shipped. */
import { agentSource, roleSource } from '#infra/functions/function-code.ts';

const roles = [
  ...(['front-door', 'submission', 'scheduler', 'supervisor', 'notifier', 'webhook'] as const),
];

export const shippedSources = (agents: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries([
    ...roles.map((role) => [role, roleSource(role, 'lib/workflows/shipped.ts')]),
    ...agents.map((name) => [name, agentSource({ handler: `lambdas/agents/${name}.ts` })]),
  ]);
