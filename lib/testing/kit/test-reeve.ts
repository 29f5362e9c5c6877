/** The embedded Reeve for tests: with a virtual clock, without ports, on a disk that outlives its process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Log } from '#ports/log.ts';
import type { LocalOrder, LocalOrders, OrderResult } from '#runtime/local/local-order.ts';
import type { LocalReeve, LocalReeveOptions } from '#runtime/local/local-reeve.ts';
import { type CallTime, callTime } from './call-time.ts';
import { KitError } from './kit-error.ts';
import { settled, type TestClock, testClock } from './test-clock.ts';
import { hosted } from './test-host.ts';
import { lifeIn, type TestLife } from './test-life.ts';
import { hopMaxMs, startProcess } from './test-process.ts';
import { type ThrownErrors, thrownErrors } from './thrown-errors.ts';
import { checkedStart, checkedTime, testTimeMaxMs } from './time-check.ts';

/**
 * Options of {@link testReeve}: those of `startLocalReeve` that a test may need. Without `onCodeError`, each error is printed once, with its
 * stack.
 */
export interface TestReeveOptions
  extends Pick<
    LocalReeveOptions,
    | 'workflows'
    | 'agents'
    | 'responseChannels'
    | 'tenantWeights'
    | 'onAlert'
    | 'onCircuit'
    | 'onCodeError'
  > {
  /** When the virtual clock begins, a whole number of ms since the epoch. Default: 2026-01-01. */
  readonly startAt?: number;
  /** Default: no log. */
  readonly log?: Log;
}

/** See {@link testReeve}. */
export interface TestReeve extends LocalOrders {
  /**
   * The present process: its operator, agents, limits and store. It is another one after `restart`. Where one of its calls waits for a timer,
   * so much time passes, unless the test moves the clock meanwhile; a call whose process is killed rejects with `reeve-killed`.
   */
  readonly local: LocalReeve;
  /** The virtual time, ms since the epoch. */
  now(): number;
  /**
   * Lets time pass until the order is Processed, Undone or in Error: the clock jumps from one due instant to the next. Where the code
   * of an agent or a workflow is the cause, the message of the fault has the error that it threw, and where.
   *
   * @throws {KitError} `order-endless` when that takes more than ten years of virtual time, or a million events
   */
  run<Outputs>(order: LocalOrder<Outputs>): Promise<OrderResult<Outputs>>;
  /**
   * Lets so much time pass, ms, with all that happens in it. Time in which nothing happens takes none.
   *
   * @throws {KitError} `time-range` when it is not a whole number from 0 to ten years
   */
  advance(ms: number): Promise<void>;
  /** The process ends at once: what is not durable is lost. Services have had what was sent to them. */
  kill(): Promise<void>;
  /** Starts the next process, with what the former one stored. */
  readonly restart: () => Promise<void>;
  /** Stops it, and removes its data. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** How long a killed process is down before `run` starts the next one, ms. */
const downMs = 1_000;
const eventsMax = 1_000_000;
/** Time in which nothing happens is skipped, except so much before its end, ms: more than a period of the sweeps (prompt-sweeps.ts). */
const unskippedMs = 2_000;

/**
 * Starts an embedded Reeve for a test.
 *
 * @throws as `startLocalReeve`
 * @throws {KitError} `time-range` when `startAt` is negative, no whole number or too late
 */
export async function testReeve(options: TestReeveOptions): Promise<TestReeve> {
  const { startAt } = options;
  const clock = startAt === undefined ? testClock() : testClock(checkedStart(startAt));
  const folder = mkdtempSync(join(tmpdir(), 'reeve-test-'));
  /** When each live order is due. */
  const dues = new Map<OrderId, number>();
  const time = callTime(clock);
  const thrown = thrownErrors(options.onCodeError);
  const { agents, leave } = hosted(options.agents, { ...clock, crash: () => life.kill() });
  const own = { ...options, agents, onCodeError: thrown.onCodeError };
  const life = lifeIn(folder, (path) => startProcess(own, { clock, time, path, dues }));
  const { living, restart } = life;
  const parts: Parts = { clock, time, life, thrown };

  const remove = () => {
    leave();
    rmSync(folder, { recursive: true, force: true });
  };
  await orElse(life.start(), remove);
  return {
    get local() {
      return living().local;
    },
    now: clock.now,
    async submit(workflow, details, given) {
      const order = await living().local.submit(workflow, details, given);
      return outlasting(order, () => living().reeve.order(workflow, order.id));
    },
    order: (workflow, id) =>
      outlasting(living().reeve.order(workflow, id), () => living().reeve.order(workflow, id)),
    async advance(given) {
      const ms = checkedTime('The time of advance', given);
      await time.moving(() => advance(parts, ms));
    },
    run: (order) => time.moving(() => run(parts, order)),
    kill: () =>
      time.moving(() =>
        time.turn(async () => {
          await settled();
          life.kill();
        }),
      ),
    restart: () => time.turn(restart),
    async [Symbol.asyncDispose]() {
      life.end();
      remove();
    },
  };
}

/** Of one Reeve. */
interface Parts {
  readonly clock: TestClock;
  readonly time: CallTime;
  readonly life: TestLife;
  readonly thrown: ThrownErrors;
}

/** One event, after the restart of a process that was killed. Null: the order has not ended. */
async function pass<Outputs>(
  { clock, life, thrown }: Parts,
  order: LocalOrder<Outputs>,
): Promise<OrderResult<Outputs> | null> {
  if (!life.isUp()) {
    await clock.advance(downMs);
    await life.start();
  }
  const { reeve } = life.living();
  const record = (await reeve.store.records([order.id])).get(order.id);
  if (record === undefined || hasEnded(record))
    return thrown.explained(order.id, await order.result());
  await skip(clock);
  await clock.next();
  return null;
}

async function run<Outputs>(
  parts: Parts,
  order: LocalOrder<Outputs>,
): Promise<OrderResult<Outputs>> {
  const { clock, time, thrown } = parts;
  const end = clock.now() + testTimeMaxMs;
  for (let events = 0; events < eventsMax && clock.now() < end; events += 1) {
    const result = await time.turn(() => pass(parts, order));
    if (result !== null) return result;
  }
  throw endless(order.id, thrown.of(order.id));
}

async function advance({ clock, time }: Parts, ms: number): Promise<void> {
  const end = clock.now() + ms;
  await time.turn(settled);
  const step = async () => {
    await skip(clock, end);
    return clock.step(end);
  };
  while (await time.turn(step)) {
    // Each event may make others.
  }
}

/** A Reeve that did not start leaves nothing: the test has none that would remove it. */
async function orElse(started: Promise<void>, remove: () => void): Promise<void> {
  try {
    await started;
  } catch (error) {
    remove();
    throw error;
  }
}

/** The order as the process knows it that runs then. */
const outlasting = <Outputs>(
  { id, isSkipped }: LocalOrder<Outputs>,
  now: () => LocalOrder<Outputs>,
): LocalOrder<Outputs> => ({
  ...{ id, isSkipped },
  result: (options) => now().result(options),
  follow: (options) => now().follow(options),
  read: async () => now().read(),
});

const hasEnded = ({ processState }: ProcessRecord) =>
  processState === 'Processed' || processState === 'Undone' || processState === 'Error';

/** Time in which periodic work would find nothing is passed at once, but none after `end`. */
async function skip(clock: TestClock, end = Number.POSITIVE_INFINITY): Promise<void> {
  const leftMs = () => Math.min(clock.nextWork() - unskippedMs, end) - clock.now();
  for (let ms = leftMs(); ms > unskippedMs && Number.isFinite(ms); ms = leftMs())
    await clock.leap(Math.min(ms, hopMaxMs));
}

const endless = (id: OrderId, thrown: string) =>
  new KitError(
    'order-endless',
    `Order ${id} does not end: after ten years of virtual time, or a million events, it is still at work. Look at it by order.read().${thrown === '' ? '' : `\n${thrown}`}`,
  );
