/**
 * Simulates one world from its seed: first with faults, then a calm phase in which every order must end, with the
 * rules checked throughout.
 */

import type { Breach, Violation } from '#checkers/violation.ts';
import { dueHorizonMs } from '#core/decide/due.ts';
import type { AgentName } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { judgeDeadLetters } from '#sim/checks/dead-letters.ts';
import { judgeEnd } from '#sim/checks/judge-end.ts';
import { judgePromptness } from '#sim/checks/promptness.ts';
import { repairWatch } from '#sim/checks/repair-watch.ts';
import { judgeOutages } from '#sim/checks/sweep-runs.ts';
import { operateAgents, resumeAgents } from '#sim/faults/agent-operator.ts';
import type { CrashPoints } from '#sim/faults/crash-points.ts';
import {
  clockJumpMaxMs,
  type FaultInjector,
  faultInjector as injectorOf,
} from '#sim/faults/fault-injector.ts';
import {
  clocksWereRight,
  drawnRates,
  type FaultName,
  type FaultRates,
  faults as faultsOf,
  quietRates,
} from '#sim/faults/fault-rates.ts';
import { judgeInterruptions, judgeRestarts } from '#sim/faults/platform-outage.ts';
import { builtIn } from '#sim/orders/built-in.ts';
import type { Subject } from '#sim/orders/subject.ts';
import { allOf } from '#sim/ports/queues.ts';
import { shardOf } from '#sim/ports/sim-due-index.ts';
import { recordsOf } from '#sim/ports/sim-table.ts';
import { chance as chanceOf } from './chance.ts';
import type { Host } from './host.ts';
import { drawnSetting, type Setting } from './setting.ts';
import type { SimContext } from './sim-context.ts';
import { type Submitters, submitters as submittersOf } from './submitters.ts';
import { trace as traceOf } from './trace.ts';
import { type Settle, timeline as timelineOf } from './virtual-time.ts';
import { aftermathMs, type World, world as worldOf } from './world.ts';

export interface SimulationOptions {
  readonly seed: number;
  readonly settle: Settle;
  readonly crashPoints: CrashPoints;
  /** Whether to keep the trace. */
  readonly keepStory: boolean;
  /** What is simulated. @default the built-in orders */
  readonly subject?: Subject;
  /** @default drawn from the seed */
  readonly plan?: Plan;
  /** The faults that happen, by their numbers in the order in which they are drawn, from 1. @default all that are drawn */
  readonly onlyFaults?: ReadonlySet<number>;
  /** Whether an operator drains agents and changes weights. @default none does */
  readonly operatesAgents?: boolean;
  /** Called with the world at the end. */
  readonly onEnd?: (world: World) => void;
}

/** A world that is specified instead of drawn. */
export interface Plan {
  readonly setting: Setting;
  readonly rates: FaultRates;
  /** The total number of faults. */
  readonly faultsMax: number;
}

export interface Simulation {
  readonly seed: number;
  /** Hash of the trace: the same for the same seed. */
  readonly hash: string;
  readonly violations: readonly Violation[];
  readonly hits: ReadonlyMap<FaultName, number>;
  readonly orders: number;
  /** Elapsed virtual time, ms. */
  readonly elapsedMs: number;
  readonly story: readonly string[];
}

/** An arbitrary day, without a leap day or a change of clocks. */
const start = 1_767_571_200_000;
/** The share of the worlds in which waiting is the only obstacle of most orders. */
export const quietShare = 0.06;
/** So many more orders has a world whose orders share a key. */
const keyedOrders = 3;
/** Events in the calm phase for each order, after which the simulation counts as endless. */
const eventsMax = 10_000;
/**
 * So many times as many where orders may wait for hours or days, and ask meanwhile, so that no time is idle and skipped: where they share a
 * key, each asks every 15 minutes; where a clock was wrong, a limit may have no room until the end of a lease by that clock, and an operator
 * resubmits every order whose hold ends.
 */
const longWaitEvents = 40;
/**
 * A clock that was days ahead wrote due times and ends of attempts. An order waits for one after the other: each is at most
 * the horizon ahead, or is repaired within an hour, and none is later than the longest jump and the horizon together.
 */
const calmMaxMs = clockJumpMaxMs + dueHorizonMs + 2 * 3_600_000;

export async function simulate(options: SimulationOptions): Promise<Simulation> {
  const chance = chanceOf(options.seed);
  const timeline = timelineOf(start, options.settle);
  const trace = traceOf(timeline.now, options.keepStory);
  const { plan, subject = builtIn, onlyFaults } = options;
  const isQuiet = chance.hits(quietShare);
  const rates = plan?.rates ?? (isQuiet ? quietRates : drawnRates(chance, subject.emphasis));
  const faults = faultsOf(rates, chance, { faultsMax: plan?.faultsMax, onlyFaults });
  const { crashPoints } = options;
  const around: SimContext = { timeline, chance, subject, faults, trace, crashPoints };
  const violations: Violation[] = [];
  const breach: Breach = (rule, message) => {
    trace.record(`BROKEN ${rule}: ${message}`);
    violations.push({ rule, message });
  };

  const { operatesAgents = false } = options;
  const drawn = plan?.setting ?? drawnSetting(chance, isQuiet);
  const faultsMs = drawn.faultsMs * subject.faultsFactor;
  const setting = { ...drawn, faultsMs, operatesAgents };
  const world = worldOf(setting, around, breach);
  const { shared, fleet } = world;
  const keyedWorkflow = plan === undefined ? subject.keyedWorkflowOf(options.seed) : null;
  const orders = setting.orders + (keyedWorkflow === null ? 0 : keyedOrders);
  const submitters = submittersOf({
    shared,
    fleet,
    breach,
    keyedWorkflow,
    count: orders,
    flood: setting.flood,
    withinMs: setting.faultsMs / 2,
    byQueue: !setting.oneProcess,
  });
  const queuesToPoison = setting.oneProcess ? [] : allOf(shared.queues);
  const injector = injectorOf({ shared, fleet, setting, queuesToPoison });

  if (operatesAgents) operateAgents(world, injector.endsAt);
  while (timeline.now() < injector.endsAt()) await timeline.runUntil(injector.endsAt());
  calmDown(world, around);
  if (operatesAgents) resumeAgents(world);
  const mayWait = keyedWorkflow !== null || subject.mayWaitLong || !clocksWereRight(faults.hits);
  const eventsPerOrder = mayWait ? longWaitEvents * eventsMax : eventsMax;
  const ended = await toTheEnd({ world, eventsPerOrder }, around, submitters, breach);
  if (ended) judge(world, injector, around, breach);
  else if (!subject.isJudged())
    breach('R16', `no end: ${stateOf(world)}, ${submitters.waiting()} not accepted`);
  options.onEnd?.(world);
  return {
    seed: options.seed,
    hash: trace.hash(),
    violations,
    hits: faults.hits,
    orders: orders + setting.flood,
    elapsedMs: timeline.now() - start,
    story: trace.lines,
  };
}

/** Ends all faults: clocks are right, and every machine runs a release that knows all orders. */
function calmDown(
  { setting, shared, fleet, calm }: World,
  { faults, trace, subject }: SimContext,
): void {
  trace.record('it is calm from now on');
  faults.end();
  const knowsAll = ({ release }: Host) =>
    recordsOf(shared.table).every((record) => subject.registries[release].of(record) !== undefined);
  // A process that is down has a successor of its own release, which may not know all orders.
  const isKnown = fleet.all().length > 0 && fleet.all().every(knowsAll);
  const livesOn = setting.livesOn && clocksWereRight(faults.hits) && isKnown;
  if (!livesOn) fleet.redeployAll('new');
  calm();
}

interface CalmPhase {
  readonly world: World;
  readonly eventsPerOrder: number;
}

async function toTheEnd(
  { world, eventsPerOrder }: CalmPhase,
  { timeline, subject }: SimContext,
  submitters: Submitters,
  breach: Breach,
): Promise<boolean> {
  const isOver = () =>
    submitters.waiting() === 0 &&
    recordsOf(world.shared.table).every(
      ({ processState }) => processState === 'Processed' || processState === 'Undone',
    );
  const latest = timeline.now() + calmMaxMs + subject.patienceMs;
  const { writes } = world.shared.observer;
  let [lastWrites, lastWaiting] = [-1, -1];
  const watchRepairs = repairWatch(breach);
  const latestEvent = eventsPerOrder * Math.max(4, world.setting.orders + world.setting.flood);
  for (let events = 0; events < latestEvent; events += 1) {
    if (timeline.now() > latest || subject.isJudged()) return false;
    watchRepairs(() => recordsOf(world.shared.table), timeline.now());
    const waiting = submitters.waiting();
    const isNews = writes.length !== lastWrites || waiting !== lastWaiting;
    [lastWrites, lastWaiting] = [writes.length, waiting];
    if (isNews && isOver()) {
      world.sweeps.stop();
      await timeline.runUntil(timeline.now() + aftermathMs);
      return isOver();
    }
    await timeline.runUntil(timeline.nextAt());
  }
  return false;
}

function judge(
  world: World,
  injector: FaultInjector,
  { faults }: SimContext,
  breach: Breach,
): void {
  const { shared, fleet } = world;
  for (const { machine, atEnd } of fleet.all()) {
    shared.rules.idle(machine);
    atEnd();
  }
  if (!world.isIdle()) {
    const left = [...allOf(shared.queues), shared.queues.retries].map(
      (queue) => `${queue.name} ${queue.size()}`,
    );
    const busy = fleet
      .all()
      .filter(({ running }) => running > 0)
      .map(({ machine: { name } }) => name);
    breach(
      'R19',
      `something is still on its way: ${left.join(', ')}; ${shared.stream.size()} changes; ${busy.join(', ')}`,
    );
  }
  const { table, observer } = shared;
  const { writes } = observer;
  judgeEnd(shared, breach);
  const every = [...allOf(shared.queues), shared.queues.retries];
  judgeDeadLetters(every, injector.poison, faults.hits, breach);
  if (!clocksWereRight(faults.hits)) return;
  for (const { attempts, unreadBefore } of injector.interruptions) {
    // An attempt of a record that cannot be read may not be recognised as interrupted.
    const isKnown = (faults.hits.get('record-unreadable') ?? 0) === unreadBefore;
    if (isKnown) judgeInterruptions(attempts, writes, breach);
  }
  judgeRestarts(world.restarts, writes, breach);
  judgePromptness(writes, world, breach);
  const { sweepRuns, replyDelays } = shared;
  const { outageAfterMs } = world.setting;
  const shardsOf = ({ orderId }: ProcessRecord) => table.shardsOf(orderId);
  const haveRepliesWaited = (agent: AgentName) => replyDelays.has(agent);
  const shardsByRelease = ({ orderId }: ProcessRecord) =>
    Object.values(shared.shards).map((shards) => shardOf(orderId, shards));
  judgeOutages(
    { writes, sweepRuns, shardsOf, shardsByRelease, outageAfterMs, haveRepliesWaited },
    breach,
  );
}

const stateOf = ({ shared }: World) =>
  recordsOf(shared.table)
    .map(({ orderId, processState }) => `${orderId} ${processState}`)
    .join(', ');
