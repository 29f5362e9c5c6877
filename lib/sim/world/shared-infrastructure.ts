/** What the machines of a world share: tables, queues, services and rule checkers. */

import { type AnswerChecker, answerChecker } from '#checkers/answer-checker.ts';
import {
  type DeadlineCheckChecker,
  deadlineCheckChecker,
} from '#checkers/deadline-check-checker.ts';
import type { Notified } from '#checkers/notification-checker.ts';
import {
  type SharedProbeChecker,
  sharedProbeChecker,
} from '#checkers/process/shared-probe-checker.ts';
import { type SendChecker, sendChecker } from '#checkers/send-checker.ts';
import type { Breach } from '#checkers/violation.ts';
import { overdueAt } from '#core/decide/due.ts';
import { type CallLimits, limitsOf } from '#core/definition/registry.ts';
import type { AgentName } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { type AlertLog, alertLog } from '#sim/checks/alert-log.ts';
import { decisionsOf } from '#sim/checks/decisions-of-write.ts';
import { type DeploymentLimits, deploymentLimits } from '#sim/checks/deployment-limits.ts';
import { type OperatorChecker, operatorChecker } from '#sim/checks/operator-answers.ts';
import { type SweepRuns, sweepRuns as sweepRunsOf } from '#sim/checks/sweep-runs.ts';
import {
  definitionOf,
  writeObserver as observerOf,
  type WriteObserver,
} from '#sim/checks/write-observer.ts';
import { clocksWereRight } from '#sim/faults/fault-rates.ts';
import { type ServiceOutages, serviceOutages } from '#sim/faults/service-outage.ts';
import { type StoreOutage, storeOutage } from '#sim/faults/store-outage.ts';
import type { Release, SimAgents } from '#sim/orders/subject.ts';
import { type HeldIndex, scannedHeld } from '#sim/ports/held-index.ts';
import { type Queues, simQueues } from '#sim/ports/queues.ts';
import { type CoordinationTable, coordinationTable } from '#sim/ports/sim-coordination.ts';
import {
  type AgentSettingTable,
  agentSettingTable,
  type CircuitTable,
  type EjectionTable,
  ejectionTable,
  type ReplyDelayTable,
  type ReportItem,
} from '#sim/ports/sim-flow.ts';
import { type LimitTable, limitTable } from '#sim/ports/sim-limit-items.ts';
import type { SimQueue } from '#sim/ports/sim-queue.ts';
import { type Unreadable, unreadableRecords } from '#sim/ports/sim-store.ts';
import { type SimStream, simStream } from '#sim/ports/sim-stream.ts';
import { recordsOf, type SimTable, simTable, type Write } from '#sim/ports/sim-table.ts';
import { type Count, countedCalls, watchedCalls } from './counted-calls.ts';
import { serviceCapacity } from './service-capacity.ts';
import type { Setting } from './setting.ts';
import type { SimContext } from './sim-context.ts';
import { orderIdOf } from './sim-services.ts';

/** A queue as its senders know it. */
export type SentQueue = Pick<SimQueue, 'name' | 'put' | 'count'>;

/** What the functions of a deployment share. */
export interface SharedByFunctions {
  readonly around: SimContext;
  /** The orders with a step that waits for an agent. */
  readonly held: HeldIndex;
  readonly coordination: CoordinationTable;
  readonly circuits: CircuitTable;
  readonly ejections: EjectionTable;
  readonly replyDelays: ReplyDelayTable;
  /** The limits of the agents, by the names of agents. */
  readonly limits: ReadonlyMap<string, CallLimits>;
  readonly limitItems: LimitTable;
  /** The orders that wait, as the Supervisor of functions reported them. */
  readonly report: ReportItem;
  /** What operators changed of agents; null: they change nothing, and nothing is read. */
  readonly agentSettings: AgentSettingTable | null;
  /** The agents that make a limited number of calls at once. */
  readonly limitedAgents: readonly string[];
  readonly agents: Pick<SimAgents, 'implementation'>;
  readonly count: Count;
  readonly queues: Pick<Queues<SentQueue>, 'nudges' | 'checks' | 'requests' | 'replies'>;
  /** The queues of an agent among which its concurrency is divided. @default its queue alone */
  readonly dividedQueues?: ReadonlyMap<AgentName, readonly SentQueue[]>;
  readonly rules: Pick<
    SendChecker & AnswerChecker & DeadlineCheckChecker,
    'nudging' | 'requesting' | 'receiving' | 'checking' | 'replying' | 'unanswered' | 'unsent'
  >;
  readonly probes: SharedProbeChecker;
  readonly breach: Breach;
  /** The calls that each agent of one process makes at once. */
  readonly concurrency: number;
  readonly backlog: Setting['backlog'];
  /** While no order is known to wait, a front door reads the report for one order in so many. */
  readonly readEveryOrders: number;
  readonly recovery: Setting['recovery'];
  readonly sweepPeriodMs: number;
  /** A sweep's lease, ms: the same multiple of the period as in lambdas/supervisor.ts. */
  readonly leaseMs: number;
  /** Starts the sweep of a shard on another machine. */
  readonly handOver: (shard: number) => void;
}

export interface SharedInfrastructure extends SharedByFunctions {
  /** The shards of the due index, by release. */
  readonly shards: Readonly<Record<Release, number>>;
  readonly table: SimTable;
  readonly stream: SimStream;
  readonly agents: SimAgents;
  readonly queues: Queues;
  readonly rules: SendChecker & AnswerChecker & DeadlineCheckChecker & OperatorChecker;
  readonly observer: WriteObserver;
  readonly unreadable: Unreadable;
  /** Of functions. */
  readonly limitChecks: DeploymentLimits;
  readonly storeOutage: StoreOutage;
  readonly serviceOutages: ServiceOutages;
  /** All roles run on one machine. */
  readonly oneProcess: boolean;
  readonly outageAfterMs: number;
  /** A sweep's time per order, ms. */
  readonly recoveryMs: number;
  readonly sweepRuns: SweepRuns;
  /** Notifications that submitters received. */
  readonly responses: Notified[];
  readonly alerts: AlertLog;
  /** When an agent began an attempt, by order, step and number. */
  readonly begun: Map<string, number>;
}

/** Called when messages, changes or shards are ready. */
export interface Movers {
  pump(queue: SimQueue): void;
  pumpStream(): void;
  handOver(shard: number): void;
  wrote(write: Write): void;
}

/** A world has few orders. */
const readEveryOrders = 1;
/** The longest tick of a Supervisor, ms. */
const tickMs = 10_000;

export function sharedInfrastructure(
  setting: Setting,
  around: SimContext,
  breach: Breach,
  movers: Movers,
): SharedInfrastructure {
  const { timeline, chance, faults, subject } = around;
  const { oneProcess, concurrency, backlog, recovery, sweepPeriodMs, outageAfterMs } = setting;
  const shards = shardsOf(setting);
  const shardsMax = Math.max(...Object.values(shards));
  const observer = observerOf(around, breach);
  const sweepRuns = sweepRunsOf(timeline.now);
  const table = simTable({
    ...{ now: timeline.now, shardsMax, sweepPeriodMs },
    indexLag: () => {
      if (oneProcess) return 0;
      // At most the gap that counts as an outage: a minute is long for an index of DynamoDB.
      const lagMaxMs = Math.min(60_000, outageAfterMs);
      return faults.strike('index-late') ? chance.between(1_000, lagMaxMs) : chance.between(1, 300);
    },
    onWrite(write) {
      const decisions = decisionsOf(subject, write, table.order(write.after.orderId), breach);
      if (decisions.length > 1) faults.note('decided-together');
      for (const decision of decisions) {
        observer.wrote(decision);
        rules.wrote(decision);
        rules.wroteOrder(decision);
        if (startsAnew(decision)) faults.note('undone-first');
      }
      rules.wroteClaim(write.after);
      limitChecks.stored(write.after);
      stream.add({ previousState: write.before?.processState ?? null, record: write.after });
      movers.wrote(write);
    },
  });
  const replyDelays: ReplyDelayTable = new Map();
  const rules = rulesOf({
    ...{ around, breach, table, replyDelays },
    sweepRuns,
    shardsMax,
    outageAfterMs,
  });
  const stream = simStream(around, movers.pumpStream);
  const outages = serviceOutages(around);
  const circuits: CircuitTable = new Map();
  const agentSettings = setting.operatesAgents ? agentSettingTable(timeline.now) : null;
  const limitChecks = deploymentLimits(around, agentSettings, breach);
  return {
    around,
    shards,
    table,
    held: scannedHeld(() => recordsOf(table)),
    stream,
    ...{ rules, observer, breach },
    ...{ readEveryOrders, oneProcess, concurrency, backlog, recovery },
    ...{ sweepPeriodMs, outageAfterMs },
    leaseMs: 1.5 * sweepPeriodMs,
    recoveryMs: setting.recoveryMs,
    sweepRuns,
    ...{ unreadable: unreadableRecords(timeline.now), storeOutage: storeOutage(around) },
    coordination: coordinationTable(sweepRuns.refused),
    ...{ circuits, ejections: ejectionTable(), report: { latest: null } },
    probes: probesOf(around, circuits, breach),
    ...{ replyDelays, agentSettings },
    limits: limitsOf(subject.registries.new.all),
    limitItems: limitTable(limitChecks.extended),
    limitedAgents: setting.agentsAreLimited ? subject.contracts.map(({ name }) => name) : [],
    serviceOutages: outages,
    limitChecks,
    agents: subject.agents({
      ...{ around, outages },
      recordOf: table.record,
      onEffect: (key, effect) => observer.took(key, effect, table.record(orderIdOf(key))),
      onSecondEffect: observer.tookTwice,
    }),
    count: checkedCalls(setting, { breach, limitChecks }),
    queues: simQueues(setting, around, movers.pump, breach),
    alerts: alertLog(breach),
    ...{ responses: [], begun: new Map() },
    handOver: movers.handOver,
  };
}

/** With wrong clocks, a probe is given up while its instance still makes it. */
const probesOf = ({ faults }: SimContext, circuits: CircuitTable, breach: Breach) =>
  sharedProbeChecker(
    (agent) => circuits.get(agent)?.epoch ?? 0,
    (rule, message) => {
      if (clocksWereRight(faults.hits)) breach(rule, message);
    },
  );

interface RulesOptions
  extends Pick<
    SharedInfrastructure,
    'around' | 'breach' | 'table' | 'replyDelays' | 'sweepRuns' | 'outageAfterMs'
  > {
  readonly shardsMax: number;
}

function rulesOf({
  around: { timeline, faults, subject },
  breach,
  table,
  replyDelays,
  sweepRuns,
  shardsMax,
  outageAfterMs,
}: RulesOptions): SharedInfrastructure['rules'] {
  const clocksAreRight = () => clocksWereRight(faults.hits);
  const isOrderly = () =>
    clocksAreRight() &&
    Array.from({ length: shardsMax }, (_, shard) => shard).every(
      (shard) => sweepRuns.gaps(shard, outageAfterMs - tickMs, timeline.now()).length === 0,
    );
  // Longer than a note counts: what was known when the check was decided.
  const wasNotedLately = (agent: AgentName) => {
    const { at, ms } = replyDelays.get(agent) ?? { at: Number.NEGATIVE_INFINITY, ms: 0 };
    return timeline.now() - at <= outageAfterMs + ms;
  };
  const isOverdueForLong = (record: ProcessRecord) =>
    timeline.now() - (overdueAt(record) ?? Number.POSITIVE_INFINITY) > outageAfterMs;
  const checked = { record: table.record, isOrderly, wasNotedLately, isOverdueForLong };
  return {
    ...sendChecker(breach, (after) => {
      const details = table.order(after.orderId)?.details;
      if (details === undefined || !subject.checksInputs) return null;
      return { definition: definitionOf(subject, after), details };
    }),
    ...operatorChecker(breach),
    ...answerChecker(table, clocksAreRight, breach),
    ...deadlineCheckChecker(checked, breach),
  };
}

const shardsOf = ({ shards, shardsOfNew = shards }: Setting) => ({ old: shards, new: shardsOfNew });

/** The calls of services. Those of functions are reported; those of one process are reported to its own checks. */
function checkedCalls(
  { oneProcess, concurrency }: Setting,
  { breach, limitChecks }: { readonly breach: Breach; readonly limitChecks: DeploymentLimits },
): Count {
  const callsMax = oneProcess ? concurrency : Number.POSITIVE_INFINITY;
  const count = countedCalls(serviceCapacity(callsMax, breach));
  return oneProcess ? count : watchedCalls(count, limitChecks.began);
}

/** Whether a step was undone first, and may now be performed at another member. */
const startsAnew = ({ before, after }: Pick<Write, 'before' | 'after'>): boolean =>
  after.steps.some(
    ({ undoFirst, keyGeneration }, at) =>
      undoFirst?.isDone === true && keyGeneration !== before?.steps[at]?.keyGeneration,
  );
