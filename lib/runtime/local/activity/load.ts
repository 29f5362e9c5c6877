/** The load of one process, for the health and the activity. */
import type { CircuitActivity, FlowActivity } from '#http/api-ports.ts';
import type { AgentGates } from '#in-process/agent-gates.ts';
import type { OrderBacklog } from '#in-process/backlog/order-backlog.ts';
import type { Clock } from '#ports/clock.ts';
import {
  type ActivityOptions,
  activityCollector,
  type CountedAgent,
  type RecordCount,
} from './activity.ts';
import { missingDefinitions } from './missing-definitions.ts';

/** The sources of {@link activityAndLoad}. */
export interface ActivityAndLoadOptions
  extends Omit<ActivityOptions, 'agents' | 'flow' | 'also'>,
    Omit<LoadOptions, 'circuits' | 'backlog'> {
  readonly backlog: OrderBacklog;
  readonly agents: readonly Omit<CountedAgent, 'circuit'>[];
  readonly gates: Pick<AgentGates, 'of'>;
}

/** The activity of one process, with its load. */
export function activityAndLoad({ gates, backlog, ...options }: ActivityAndLoadOptions) {
  const agents = options.agents.map((agent) => ({
    ...agent,
    circuit: gates.of(agent.name).circuit,
  }));
  const circuits = agents.map(({ circuit }) => circuit);
  const { flow, ...load } = loadOf({ ...options, backlog, circuits });
  const also = both(backlog, missingDefinitions(options));
  return { activity: activityCollector({ ...options, agents, flow, also }), load };
}

const both = (one: RecordCount, other: RecordCount): RecordCount => ({
  add(record) {
    one.add(record);
    other.add(record);
  },
  takeOut(record) {
    one.takeOut(record);
    other.takeOut(record);
  },
  counted() {
    one.counted?.();
    other.counted?.();
  },
});

/** The sources of {@link loadOf}. */
export interface LoadOptions {
  readonly backlog: Pick<OrderBacklog, 'waiting' | 'refused'>;
  readonly circuits: readonly (() => CircuitActivity)[];
  readonly nudgeSince: () => number | null;
  readonly sweepLagMs: () => number;
  readonly clock: Clock;
}

/** The conditions that the health depends on. */
export interface Load {
  /** Whether an order was refused within the last ten seconds. */
  isOverloaded(): boolean;
  /** Whether the service of an agent is unavailable, so that orders wait for it. */
  isCircuitOpen(): boolean;
}

/** A refusal is news for so long, ms: clients come back within seconds, and are refused again while the load lasts. */
const recentMs = 10_000;

/** Reads the load of one process. */
export function loadOf(options: LoadOptions): Load & { flow(): FlowActivity } {
  const { backlog, circuits, clock } = options;
  return {
    flow() {
      const { byClass, lastAt } = backlog.refused();
      return {
        waiting: backlog.waiting(),
        nudgeSince: options.nudgeSince(),
        sweepLagMs: options.sweepLagMs(),
        refused: byClass,
        lastRefusedAt: lastAt,
      };
    },
    isOverloaded() {
      const { lastAt } = backlog.refused();
      // `abs`: a refusal is not news until the clock, which was set back, has come to it again.
      return lastAt !== null && Math.abs(clock.now() - lastAt) < recentMs;
    },
    isCircuitOpen: () =>
      circuits.some((circuit) => {
        const { state } = circuit();
        return state === 'open' || state === 'half-open';
      }),
  };
}
