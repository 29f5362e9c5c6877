/**
 * After a sweep, counts the orders that wait for agents and reports them to the front doors. While none waits, it reads one
 * item and writes none.
 */

import { type AgentSettings, isDrained } from '#core/definition/agent-settings.ts';
import { countedClass, type HeldBacklog, type HeldClass } from '#core/flow/held-backlog.ts';
import { errorKind } from '#core/model/errors.ts';
import { priorities } from '#core/model/record.ts';
import type { BacklogReport } from '#ports/backlog-report.ts';
import type { Clock } from '#ports/clock.ts';
import type { AgentSettingStore } from '#ports/gates.ts';
import type { Circuits } from '#ports/health/circuits.ts';
import type { HeldCounts } from '#ports/held-steps.ts';
import type { Log } from '#ports/log.ts';

/** The ports of {@link reportBacklog}. */
export interface ReportBacklogPorts {
  readonly report: BacklogReport;
  readonly heldSteps: HeldCounts;
  readonly circuits: Pick<Circuits, 'read'>;
  /** What operators changed of agents. Default: nothing. */
  readonly settings?: Pick<AgentSettingStore, 'read'>;
  /** The pools of agents by name, with their members. Default: there is none. */
  readonly pools?: ReadonlyMap<string, readonly string[]>;
  readonly clock: Clock;
  readonly log: Log;
  /** The weight of a tenant, by its text in the index. Default: each has 1. */
  readonly weightOf?: (flow: string) => number;
}

/** Never rejects: what is not reported now is reported after the next sweep. */
export function reportBacklog(
  ports: ReportBacklogPorts,
): (waitingFor: readonly string[]) => Promise<void> {
  const { report, clock, log } = ports;
  return async (waitingFor) => {
    try {
      const before = await report.read();
      const at = clock.now();
      const stored = waitingFor.length === 0 ? undefined : ports.settings?.read();
      const settings = (await stored) ?? nothing;
      const classes = await Promise.all(
        waitingFor.map((agent) => classesOf(ports, { agent, settings }, before, at)),
      );
      const waiting = classes.flat();
      if (waiting.length === 0 && (before === null || before.classes.length === 0)) return;
      await report.store({ at, classes: waiting });
    } catch (error) {
      log.warn('backlog-unknown', { error: errorKind(error) });
    }
  };
}

const nothing: AgentSettings = new Map();

/** What orders wait for, and what operators changed. */
interface WaitedFor {
  readonly agent: string;
  readonly settings: AgentSettings;
}

/** Whether no order that waits for the agent can start: of a pool, because no member is available. */
async function isWithoutService(
  { circuits, pools = new Map() }: ReportBacklogPorts,
  { agent, settings }: WaitedFor,
): Promise<boolean> {
  const members = pools.get(agent) ?? [agent];
  const open = members.filter((member) => !isDrained(settings, member));
  const all = await Promise.all(open.map((member) => circuits.read(member)));
  return all.every((circuit) => circuit !== null && circuit.state !== 'recovering');
}

async function classesOf(
  ports: ReportBacklogPorts,
  waitedFor: WaitedFor,
  before: HeldBacklog | null,
  nowMs: number,
): Promise<readonly HeldClass[]> {
  const { heldSteps, weightOf } = ports;
  const { agent } = waitedFor;
  const isUnavailable = await isWithoutService(ports, waitedFor);
  const classes = await Promise.all(
    priorities.map(async (priority) => {
      const known = before?.classes.find(
        (each) => each.agent === agent && each.priority === priority,
      );
      const counts = await heldSteps.count(agent, priority, known?.from ?? null);
      if (counts.length === 0) return [];
      return [countedClass(known, { agent, priority, isUnavailable, counts }, nowMs, weightOf)];
    }),
  );
  return classes.flat();
}
