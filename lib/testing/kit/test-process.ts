/** The process of a Reeve for tests: it may end at any instant, as a process that is killed. */
import type { OrderId } from '#core/model/ids.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import { type LocalReeve, startLocalReeve } from '#runtime/local/local-reeve.ts';
import { chance as chanceOf } from '#sim/world/chance.ts';
import { type CallTime, withCallTime } from './call-time.ts';
import { promptSweeps } from './prompt-sweeps.ts';
import type { TestClock } from './test-clock.ts';
import type { TestReeveOptions } from './test-reeve.ts';

/** The longest, so that time may pass in hops that are no outage: what must not wait so long has {@link promptSweeps}. */
const sweepPeriodMs = 3_600_000;
/** Below the gap between sweeps that counts as an outage (lib/runtime/local/local-reeve.ts, and docs/design.md, R20). */
export const hopMaxMs = 9 * sweepPeriodMs;

/** See {@link startProcess}. */
export interface Process {
  readonly reeve: LocalReeve;
  /** The same for tests: time passes for its calls. */
  readonly local: LocalReeve;
  /** Nothing of it happens any more. */
  end(): void;
}

interface Surroundings {
  readonly clock: TestClock;
  readonly time: CallTime;
  readonly path: string;
  /** When each live order is due. */
  readonly dues: Map<OrderId, number>;
}

/** @throws as `startLocalReeve` */
export async function startProcess(
  options: TestReeveOptions,
  { clock, time, path, dues }: Surroundings,
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
  reeve.watch(clock.noteWork);
  const sweeps = promptSweeps(reeve, own, dues);
  return {
    reeve,
    local: withCallTime(reeve, time),
    end() {
      isDead = true;
      sweeps.stop();
      reeve.close();
      time.endAll();
    },
  };
}

const silent: Log = { info() {}, warn() {}, error() {} };
