/** The embedded Reeve for tests: with a virtual clock, without ports, on a disk that outlives its process. */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dueAt } from '#core/decide/due.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { LocalOrder, LocalOrders, OrderResult } from '#runtime/local/local-order.ts';
import {
  type LocalReeve,
  type LocalReeveOptions,
  startLocalReeve,
} from '#runtime/local/local-reeve.ts';
import { chance as chanceOf } from '#sim/world/chance.ts';
import { KitError } from './kit-error.ts';
import { settled, type TestClock, testClock } from './test-clock.ts';
import { bindAll } from './test-host.ts';
import { thrownErrors } from './thrown-errors.ts';
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
  /** The present process: its operator, agents, limits and store. It is another one after `restart`. */
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
   * Lets so much time pass, ms, with all that happens in it.
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
/** Deadlines have timers of their own, so nothing waits for a sweep. */
const sweepPeriodMs = 3_600_000;
/** Below the gap between sweeps that counts as an outage (lib/runtime/local/local-reeve.ts). */
const hopMs = 9 * sweepPeriodMs;
const eventsMax = 1_000_000;
/** Time in which nothing is due is skipped, except so much before its end, ms. */
const unskippedMs = 120_000;

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
  let generation = 0;
  let process: Process | null = null;
  const thrown = thrownErrors(options.onCodeError);
  const own = { ...options, onCodeError: thrown.onCodeError };

  async function start(): Promise<void> {
    generation += 1;
    process = await startProcess(own, clock, pathOf(folder, generation), dues);
  }

  function kill(): void {
    if (process === null) return;
    const killed = process;
    process = null;
    copyData(pathOf(folder, generation), pathOf(folder, generation + 1));
    killed.end();
  }

  const living = (): Process => {
    if (process !== null) return process;
    throw new KitError('reeve-killed', 'Reeve was killed: call `restart` first.');
  };

  const waits = serviceWaits(clock);
  bindAll(options.agents, { now: clock.now, crash: kill, after: waits.after });
  await orRemoved(folder, start());
  return {
    get local() {
      return living().reeve;
    },
    now: clock.now,
    async submit(workflow, details, given) {
      const order = await living().reeve.submit(workflow, details, given);
      return outlasting(order, () => living().reeve.order(workflow, order.id));
    },
    order: (workflow, id) =>
      outlasting(living().reeve.order(workflow, id), () => living().reeve.order(workflow, id)),
    advance: async (ms) => clock.advance(checkedTime('The time of advance', ms)),
    async run(order) {
      const end = clock.now() + testTimeMaxMs;
      for (let events = 0; events < eventsMax && clock.now() < end; events += 1) {
        if (process === null) {
          await clock.advance(downMs);
          await start();
        }
        const { reeve } = living();
        const record = (await reeve.store.records([order.id])).get(order.id);
        if (record === undefined || hasEnded(record))
          return thrown.explained(order.id, await order.result());
        await skip(clock, [...dues.values(), ...waits.instants()]);
        await clock.next();
      }
      throw endless(order.id, thrown.of(order.id));
    },
    async kill() {
      await settled();
      kill();
    },
    restart: async () => {
      if (process !== null)
        throw new KitError('reeve-running', 'Reeve runs: call `kill` before `restart`.');
      await start();
    },
    async [Symbol.asyncDispose]() {
      process?.end();
      process = null;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The work of services that are slow, which outlives the process. */
function serviceWaits(clock: TestClock) {
  /** Several may end at one instant. */
  const waits = new Set<{ readonly at: number }>();
  return {
    instants: () => [...waits].map(({ at }) => at),
    after(ms: number, work: () => void) {
      const wait = { at: clock.now() + ms };
      waits.add(wait);
      clock.after(ms, () => {
        waits.delete(wait);
        work();
      });
    },
  };
}

/** Removes the folder of a Reeve that did not start: the test has no Reeve that would. */
async function orRemoved(folder: string, started: Promise<void>): Promise<void> {
  try {
    await started;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
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

interface Process {
  readonly reeve: LocalReeve;
  /** Nothing of it happens any more. */
  end(): void;
}

async function startProcess(
  options: TestReeveOptions,
  clock: TestClock,
  path: string,
  dues: Map<OrderId, number>,
): Promise<Process> {
  let isDead = false;
  const own: Clock = {
    now: clock.now,
    after: (ms, work) =>
      clock.after(ms, () => {
        if (!isDead) work();
      }),
  };
  const { startAt: _, log = silent, ...given } = options;
  const reeve = await startLocalReeve({
    ...given,
    ...{ path, log, sweepPeriodMs },
    clock: own,
    random: chanceOf(1),
  });
  reeve.watch((record) => {
    const due = dueAt(record);
    if (due === null) dues.delete(record.orderId);
    else dues.set(record.orderId, due);
  });
  return {
    reeve,
    end() {
      isDead = true;
      reeve.close();
    },
  };
}

const silent: Log = { info() {}, warn() {}, error() {} };

const pathOf = (folder: string, generation: number) => join(folder, `reeve-${generation}.db`);

/** What a crash leaves on disk is what is there now. */
function copyData(from: string, to: string): void {
  for (const end of ['', '-wal']) if (existsSync(from + end)) copyFileSync(from + end, to + end);
}

const hasEnded = ({ processState }: ProcessRecord) =>
  processState === 'Processed' || processState === 'Undone' || processState === 'Error';

/**
 * In a time in which nothing is due, periodic work would find nothing: it is run a few times a day. Less often would be an outage
 * (docs/design.md, R20).
 */
async function skip(clock: TestClock, instants: readonly number[]): Promise<void> {
  if (instants.length === 0) return;
  const until = Math.min(...instants) - unskippedMs;
  while (until - clock.now() > unskippedMs) {
    await clock.leap(Math.min(until - clock.now(), hopMs));
  }
}

const endless = (id: OrderId, thrown: string) =>
  new KitError(
    'order-endless',
    `Order ${id} does not end: after ten years of virtual time, or a million events, it is still at work. Look at it by order.read().${thrown === '' ? '' : `\n${thrown}`}`,
  );
