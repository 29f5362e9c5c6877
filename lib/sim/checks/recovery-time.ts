/** How long one loss delayed an order, and how long it may. */

import { attemptOf } from '#checkers/send-checker.ts';
import { pickUpBy } from '#core/decide/due.ts';
import type { OrderId } from '#core/model/ids.ts';
import { findStep, type StepRecord, underWay } from '#core/model/record.ts';
import type { Write } from '#sim/ports/sim-table.ts';
import type { Plan } from '#sim/world/simulate.ts';
import type { World } from '#sim/world/world.ts';

export interface Recovery {
  /** The loss: a call, its request or reply; or the nudge for an unclaimed order. */
  readonly lost: 'attempt' | 'nudge';
  /** From the write that requested it, or the end of the wait that the write began, to the step running again, ms. */
  readonly tookMs: number;
  /** From the instant at which the order was due to the step running again, ms. */
  readonly lateMs: number;
  /** Until complete-by or the end of the pick-up grace, plus a sweep period and the schedule's delay, ms. */
  readonly boundMs: number;
}

/** The schedule of a deployment: EventBridge fires once per minute, and up to a minute late. */
const minute = 60_000;

/** A plan in which exactly one fault strikes each world. */
export const oneLoss: Plan = {
  setting: {
    oneProcess: false,
    recovery: 'sweep',
    shards: 2,
    sweepPeriodMs: minute,
    precisionMs: minute,
    outageAfterMs: 3 * minute,
    recoveryMs: 1,
    invocationMs: 50_000,
    visibilityMs: 15 * minute,
    concurrency: 1,
    backlog: { ordersMax: 1_000, backlogMaxMs: 15 * minute },
    livesOn: false,
    // Long enough for all orders to end, because the calm after it begins with new machines.
    faultsMs: 12 * minute,
    orders: 4,
    flood: 0,
    agentsAreLimited: false,
  },
  rates: {
    'message-lost': 0.01,
    'crash-before-call': 0.005,
    'crash-after-call': 0.005,
    'crash-before-acknowledging': 0.005,
    'service-unanswering': 0.02,
  },
  faultsMax: 1,
};

/** Where recovery is measured, and how. */
export type Place = 'prompt' | 'sweep' | 'embedded';

/** One silent agent: its service did not answer, or its request or reply was lost. */
const silence = { 'service-unanswering': 0.02, 'message-lost': 0.01 };

/** The same in each place. A crash of the Scheduler between write and messages is left to the sweep everywhere. */
export function oneLossIn(place: Place): Plan {
  const { setting } = oneLoss;
  if (place !== 'embedded') {
    return { ...oneLoss, rates: silence, setting: { ...setting, recovery: place } };
  }
  // As `npm start`: sweeps every second, and no messages that could be lost.
  const oneProcess = { oneProcess: true, shards: 1, sweepPeriodMs: 1_000, outageAfterMs: 10_000 };
  return {
    ...oneLoss,
    setting: { ...setting, ...oneProcess },
    rates: { 'service-unanswering': 0.02 },
  };
}

/** Several services stay silent, so that steps cool down; no message is lost. */
export function silenceIn(place: Place): Plan {
  return { ...oneLossIn(place), rates: { 'service-unanswering': 0.3 }, faultsMax: 20 };
}

/** How late orders were claimed after a wait, ms. */
export function waitsOf({ shared }: World): readonly number[] {
  const { writes } = shared.observer;
  return writes.flatMap(({ after }) => {
    if (after.processState !== 'Pending' || after.notBefore <= after.updatedAt) return [];
    // A gate may let a held order go before.
    if (after.isHeld === true) return [];
    const next = nextWrite(after, writes);
    const isClaim = next?.after.history.at(-1)?.type === 'claim';
    return next !== undefined && isClaim ? [next.at - after.notBefore] : [];
  });
}

/** What is read of a world. */
export interface Observed {
  readonly shared: {
    readonly observer: { readonly writes: readonly Write[] };
    readonly begun: ReadonlyMap<string, number>;
  };
}

/** The recoveries in the world, each from its loss to the step running again. */
export function recoveriesOf({ shared }: Observed): readonly Recovery[] {
  const { writes } = shared.observer;
  const { sweepPeriodMs, precisionMs } = oneLoss.setting;
  return writes.flatMap((write) => {
    const lost = lossOf(write, writes);
    const again = lost === null ? undefined : nextBegin(write, writes, shared.begun);
    if (lost === null || again === undefined) return [];
    const boundMs = lost.dueAt - lost.since + sweepPeriodMs + precisionMs;
    return [{ lost: lost.lost, tookMs: again - lost.since, lateMs: again - lost.dueAt, boundMs }];
  });
}

interface Loss {
  readonly lost: Recovery['lost'];
  readonly since: number;
  readonly dueAt: number;
}

/** The loss that a sweep found, with its start and due time. */
function lossOf({ before, after }: Write, writes: readonly Write[]): Loss | null {
  const entry = after.history.at(-1);
  const isWaiting = after.notBefore > after.updatedAt;
  if (entry?.type !== 'expired' || before === null || isWaiting) return null;
  const [name] = entry.steps;
  if (name === undefined) {
    const { notBefore, updatedAt } = before;
    // An order that waits is to be nudged when its wait ends: until then nothing is late.
    const since = Math.max(updatedAt, notBefore);
    return { lost: 'nudge', since, dueAt: pickUpBy(notBefore, updatedAt) };
  }
  const step = findStep(before, name);
  if (step === undefined || !underWay(step.progress)) return null;
  const since = dispatchOf(step, after.orderId, writes);
  return since === undefined ? null : { lost: 'attempt', since, dueAt: step.progress.completeBy };
}

function dispatchOf(
  { name, attempt }: StepRecord,
  orderId: OrderId,
  writes: readonly Write[],
): number | undefined {
  return writes.find(
    ({ after }) => after.orderId === orderId && findStep(after, name)?.attempt === attempt,
  )?.at;
}

/** When an agent began the step's first attempt after that write. */
function nextBegin(
  { after }: Write,
  writes: readonly Write[],
  begun: ReadonlyMap<string, number>,
): number | undefined {
  const next = nextWrite(after, writes);
  const started = next?.after.steps.find(
    ({ name, attempt, progress }) =>
      underWay(progress) && attempt !== findStep(after, name)?.attempt,
  );
  return started && begun.get(attemptOf(after.orderId, started.name, started.attempt));
}

const nextWrite = ({ orderId, revision }: Write['after'], writes: readonly Write[]) =>
  writes.find(({ after }) => after.orderId === orderId && after.revision === revision + 1);
