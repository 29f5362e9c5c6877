/**
 * One world, from its seed: a storm in which everything may go wrong, then a calm in which every order
 * must come to its end, and the rules checked all the way.
 */

import type { Breach, Violation } from '#checkers/violation.ts';
import { dueHorizonMs } from '#core/decide/due.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { judgeEnd } from '#sim/checks/judge-end.ts';
import { judgeOutages } from '#sim/checks/sweep-runs.ts';
import type { CrashPoints } from '#sim/faults/crash-points.ts';
import { type FaultInjector, faultInjector as stormOf } from '#sim/faults/fault-injector.ts';
import {
  clocksWereRight,
  drawnRates,
  type FaultName,
  type FaultRates,
  faults as faultsOf,
} from '#sim/faults/fault-rates.ts';
import { judgeInterruptions } from '#sim/faults/platform-outage.ts';
import { allOf } from '#sim/ports/queues.ts';
import { recordsOf, shardOf as shardOfOrder } from '#sim/ports/sim-table.ts';
import { chance as chanceOf } from './chance.ts';
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
  /** Whether the story will be read. */
  readonly keepStory: boolean;
  /** Default: drawn from the seed. */
  readonly plan?: Plan;
  /** Is shown the world when all is over. */
  readonly onEnd?: (world: World) => void;
}

/** A world that is not drawn, but wanted. */
export interface Plan {
  readonly setting: Setting;
  readonly rates: FaultRates;
  /** Of all kinds together. */
  readonly faultsMax: number;
}

export interface Simulation {
  readonly seed: number;
  /** Of all that happened: the same for the same seed. */
  readonly hash: string;
  readonly violations: readonly Violation[];
  readonly hits: ReadonlyMap<FaultName, number>;
  readonly orders: number;
  /** Virtual time that passed, ms. */
  readonly elapsedMs: number;
  readonly story: readonly string[];
}

/** Any day will do; this one is no leap day and no change of clocks. */
const start = 1_767_571_200_000;
/** Happenings in the calm after which nobody believes any more that it comes to an end. */
const happeningsMax = 40_000;
/** What a clock that was days ahead has written comes down to the horizon within the hour. */
const calmMaxMs = dueHorizonMs + 2 * 3_600_000;

export async function simulate(options: SimulationOptions): Promise<Simulation> {
  const chance = chanceOf(options.seed);
  const timeline = timelineOf(start, options.settle);
  const trace = traceOf(timeline.now, options.keepStory);
  const { plan } = options;
  const faults = faultsOf(plan?.rates ?? drawnRates(chance), chance, plan?.faultsMax);
  const { crashPoints } = options;
  const around: SimContext = { timeline, chance, faults, trace, crashPoints };
  const violations: Violation[] = [];
  const breach: Breach = (rule, message) => {
    trace.record(`BROKEN ${rule}: ${message}`);
    violations.push({ rule, message });
  };

  const setting = plan?.setting ?? drawnSetting(chance);
  const world = worldOf(setting, around, breach);
  const { plant, fleet } = world;
  const submitters = submittersOf({
    plant,
    fleet,
    breach,
    count: setting.orders,
    withinMs: setting.faultsMs / 2,
    byQueue: !setting.oneProcess,
  });
  const queuesToPoison = setting.oneProcess ? [] : allOf(plant.queues);
  const storm = stormOf({ plant, fleet, setting, queuesToPoison });

  while (timeline.now() < storm.endsAt()) await timeline.runUntil(storm.endsAt());
  calmDown(world, around);
  const ended = await toTheEnd(world, around, submitters);
  if (ended) judge(world, storm, around, breach);
  else breach('R16', `no end: ${stateOf(world)}, ${submitters.waiting()} not accepted`);
  options.onEnd?.(world);
  return {
    seed: options.seed,
    hash: trace.hash(),
    violations,
    hits: faults.hits,
    orders: setting.orders,
    elapsedMs: timeline.now() - start,
    story: trace.lines,
  };
}

/** Nothing goes wrong any more; clocks are right, and the software is the newest everywhere. */
function calmDown({ fleet, calm }: World, { faults, trace }: SimContext): void {
  trace.record('it is calm from now on');
  faults.end();
  fleet.redeployAll('new');
  calm();
}

async function toTheEnd(
  world: World,
  { timeline }: SimContext,
  submitters: Submitters,
): Promise<boolean> {
  const isOver = () =>
    submitters.waiting() === 0 &&
    recordsOf(world.plant.table).every(
      ({ processState }) => processState === 'Processed' || processState === 'Undone',
    );
  const latest = timeline.now() + calmMaxMs;
  const { writes } = world.plant.witness;
  let judged = '';
  for (let happenings = 0; happenings < happeningsMax; happenings += 1) {
    if (timeline.now() > latest) return false;
    const state = `${writes.length} ${submitters.waiting()}`;
    const isNews = state !== judged;
    judged = state;
    if (isNews && isOver()) {
      world.sweeps.stop();
      await timeline.runUntil(timeline.now() + aftermathMs);
      return isOver();
    }
    await timeline.runUntil(timeline.nextAt());
  }
  return false;
}

function judge(world: World, storm: FaultInjector, { faults }: SimContext, breach: Breach): void {
  const { plant, fleet } = world;
  for (const { machine } of fleet.all()) plant.rules.idle(machine);
  if (!world.isIdle()) {
    const left = [...allOf(plant.queues), plant.queues.retries].map(
      (queue) => `${queue.name} ${queue.size()}`,
    );
    const busy = fleet
      .all()
      .filter(({ running }) => running > 0)
      .map(({ machine: { name } }) => name);
    breach(
      'R19',
      `something is still on its way: ${left.join(', ')}; ${plant.stream.size()} changes; ${busy.join(', ')}`,
    );
  }
  const { table, witness } = plant;
  const { writes } = witness;
  judgeEnd(plant, breach);
  for (const { queue, body } of storm.poison) {
    const deadLetter = queue.deadLetters.find((dead) => dead.body === body);
    if (deadLetter === undefined)
      breach('R19', `${body} is not among the dead letters of ${queue.name}`);
  }
  if (canForgive(faults.hits, storm)) judgeInterruptions(storm.interrupted, writes, breach);
  const { oneProcess, outageAfterMs } = world.setting;
  if (!oneProcess && clocksWereRight(faults.hits)) {
    const { sweepRuns } = plant;
    const shardOf = ({ orderId }: ProcessRecord) => shardOfOrder(orderId, table.shards);
    judgeOutages({ writes, sweepRuns, shardOf, outageAfterMs }, breach);
  }
}

/** By a clock that is wrong, or of a record that cannot be read, nobody can be interrupted. */
const canForgive = (hits: SimContext['faults']['hits'], { unreadBefore }: FaultInjector) =>
  clocksWereRight(hits) && (hits.get('record-unreadable') ?? 0) === unreadBefore();

const stateOf = ({ plant }: World) =>
  recordsOf(plant.table)
    .map(({ orderId, processState }) => `${orderId} ${processState}`)
    .join(', ');
