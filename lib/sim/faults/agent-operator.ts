/** An operator who drains and resumes agents and changes weights while orders run, and undoes all of it when the faults end. */
import type { AgentRequest } from '#roles/agent-control.ts';
import { contracts, teller } from '#sim/orders/sim-agents.ts';
import { invoke } from '#sim/ports/deliveries.ts';
import type { Fleet } from '#sim/world/fleet.ts';
import type { SharedInfrastructure } from '#sim/world/shared-infrastructure.ts';

interface Options {
  readonly shared: SharedInfrastructure;
  readonly fleet: Fleet;
}

/** Between two changes, ms. */
const everyMs = { least: 100, most: 5_000 };
const weightMax = 3;
/** A machine may be frozen for two minutes, ms. */
const longestRequestMs = 300_000;

const members: ReadonlySet<string> = new Set(teller.pool.map(({ agent }) => agent));

/** Changes something now and then until `endsAt`. */
export function operateAgents({ shared, fleet }: Options, endsAt: () => number): void {
  const { timeline, chance } = shared.around;
  const later = () =>
    timeline.at(timeline.now() + chance.between(everyMs.least, everyMs.most), () => {
      if (timeline.now() >= endsAt()) return;
      later();
      const { name } = chance.pick(contracts);
      const weight = chance.between(0, weightMax);
      const kind = chance.pick(['drain', 'resume', 'weight'] as const);
      change({ shared, fleet }, name, kind === 'weight' ? { kind, weight } : { kind });
    });
  later();
}

/** Makes requests until nothing is changed any more, and no earlier request can be on its way. */
export function resumeAgents(
  { shared, fleet }: Options,
  until = shared.around.timeline.now() + longestRequestMs,
): void {
  const { timeline } = shared.around;
  for (const [name, { drained, weight }] of shared.agentSettings?.settings ?? []) {
    if (drained !== undefined) change({ shared, fleet }, name, { kind: 'resume' });
    if (weight !== undefined) change({ shared, fleet }, name, { kind: 'weight', weight: null });
  }
  const isChanged = (shared.agentSettings?.settings.size ?? 0) > 0;
  if (isChanged || timeline.now() < until) {
    timeline.at(fleet.soon(5_000), () => resumeAgents({ shared, fleet }, until));
  }
}

function change({ shared, fleet }: Options, name: string, request: AgentRequest): void {
  const host = fleet.pick('door');
  const agents = host?.agents ?? null;
  if (host === null || agents === null) return;
  if (request.kind === 'weight' && !members.has(name)) return;
  shared.around.trace.record(`an operator asks to ${request.kind} ${name}`);
  invoke(host, shared, async () => {
    await agents.change(name, request, 'olga');
  });
}
