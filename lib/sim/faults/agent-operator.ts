/** An operator who drains and resumes agents, and changes weights and limits, while orders run; all of it is undone when the faults end. */
import type { CheckedLimit } from '#checkers/process/limit-checker.ts';
import type { AgentRequest } from '#roles/agent-control.ts';
import type { LimitRequest } from '#roles/limit-control.ts';
import { invoke } from '#sim/ports/deliveries.ts';
import type { Chance } from '#sim/world/chance.ts';
import type { Fleet } from '#sim/world/fleet.ts';
import type { Controls } from '#sim/world/host.ts';
import type { SharedInfrastructure } from '#sim/world/shared-infrastructure.ts';

interface Options {
  readonly shared: SharedInfrastructure;
  readonly fleet: Fleet;
}

/** Between two changes, ms. */
const everyMs = { least: 100, most: 5_000 };
const weightMax = 3;
/** A limit may allow so many times as much as its definition says. */
const factorMax = 2;
/** A machine may be frozen for two minutes, ms. */
const longestRequestMs = 300_000;

/** Changes something now and then until `endsAt`. */
export function operateAgents({ shared, fleet }: Options, endsAt: () => number): void {
  const { timeline, chance, subject } = shared.around;
  const [firstLimit, ...limits] = subject.limits;
  const later = () =>
    timeline.at(timeline.now() + chance.between(everyMs.least, everyMs.most), () => {
      if (timeline.now() >= endsAt()) return;
      later();
      const kind = chance.pick(['drain', 'resume', 'weight', 'limit'] as const);
      if (kind === 'limit') {
        if (firstLimit === undefined) return;
        const limit = chance.pick([firstLimit, ...limits]);
        return changeLimit({ shared, fleet }, limit.name, amountOf(limit, chance));
      }
      const { name } = chance.pick(subject.contracts);
      const weight = chance.between(0, weightMax);
      changeAgent({ shared, fleet }, name, kind === 'weight' ? { kind, weight } : { kind });
    });
  later();
}

/** Makes requests until nothing is changed any more, and no earlier request can be on its way. */
export function resumeAgents(
  { shared, fleet }: Options,
  until = shared.around.timeline.now() + longestRequestMs,
): void {
  const { timeline } = shared.around;
  for (const [name, { drained, weight, limit }] of shared.agentSettings?.settings ?? []) {
    const world = { shared, fleet };
    if (drained !== undefined) changeAgent(world, name, { kind: 'resume' });
    if (weight !== undefined) changeAgent(world, name, { kind: 'weight', weight: null });
    if (limit !== undefined) changeLimit(world, name, null);
  }
  const isChanged = (shared.agentSettings?.settings.size ?? 0) > 0;
  if (isChanged || timeline.now() < until) {
    timeline.at(fleet.soon(5_000), () => resumeAgents({ shared, fleet }, until));
  }
}

function amountOf({ rate, atOnce }: CheckedLimit, chance: Chance): LimitRequest {
  if (chance.hits(0.3)) return null;
  const per = rate?.per ?? 0;
  const count = chance.between(1, factorMax * (rate?.count ?? 1));
  const burst = Math.min(count, rate?.burst ?? 1);
  return {
    ...(rate !== undefined && { rate: { count, per, burst } }),
    ...(atOnce !== undefined && { atOnce: chance.between(1, factorMax * atOnce) }),
  };
}

function changeAgent(options: Options, name: string, request: AgentRequest): void {
  const { members } = options.shared.around.subject;
  if (request.kind === 'weight' && !members.has(name)) return;
  ask(options, `${request.kind} ${name}`, ({ agents }) => agents.change(name, request, 'olga'));
}

function changeLimit(options: Options, name: string, request: LimitRequest): void {
  const amount = request === null ? 'what it is defined to allow' : JSON.stringify(request);
  ask(options, `let ${name} allow ${amount}`, ({ limits }) => limits.change(name, request, 'olga'));
}

function ask(
  { shared, fleet }: Options,
  what: string,
  change: (controls: Controls) => Promise<unknown>,
): void {
  const host = fleet.pick('door');
  const controls = host?.controls ?? null;
  if (host === null || controls === null) return;
  shared.around.trace.record(`an operator asks to ${what}`);
  invoke(host, shared, async () => {
    await change(controls);
  });
}
