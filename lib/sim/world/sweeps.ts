/** The schedule of the Supervisors: a tick each period, which may be late, repeated or missing. */
import { invoke } from '#sim/ports/deliveries.ts';
import type { Fleet } from './fleet.ts';
import type { Machine } from './machine.ts';
import type { Setting } from './setting.ts';
import type { SharedInfrastructure } from './shared-infrastructure.ts';

export interface Sweeps {
  /** Starts the sweep of one shard soon, on any machine. */
  handOver(shard: number): void;
  stop(): void;
}

export interface SweepOptions {
  readonly shared: SharedInfrastructure;
  readonly fleet: Fleet;
  readonly setting: Setting;
  /** The instant until which nothing will happen, so that time may skip to it; 0: none. */
  readonly idleUntil: () => number;
}

export function sweeps(options: SweepOptions): Sweeps {
  const { fleet } = options;
  const { sweepPeriodMs: periodMs, precisionMs, oneProcess } = options.setting;
  const { timeline, chance, faults } = options.shared.around;
  const swept: Machine[] = [];
  let stopped = false;
  if (!oneProcess) schedule();

  function schedule(): void {
    // Two ticks before the due time, so that the previous tick is as recent as usual.
    const soonest = Math.floor(fleet.soon(0) / periodMs) * periodMs + periodMs;
    const awake = Math.floor(options.idleUntil() / periodMs) * periodMs - 2 * periodMs;
    timeline.at(Math.max(soonest, awake), () => {
      if (stopped) return;
      schedule();
      if (faults.strike('sweep-skipped')) return;
      const lateMs = faults.strike('sweep-late') ? chance.between(1_000, 90_000) : 0;
      timeline.at(timeline.now() + chance.between(0, precisionMs) + lateMs, tick);
      if (faults.strike('sweep-doubled'))
        timeline.at(timeline.now() + chance.between(0, 3_000), tick);
    });
  }

  function withSupervisor(shard: number | null): void {
    const host = stopped ? null : fleet.pick('supervisor');
    if (host?.sweeping.kind !== 'invoked') return;
    const { sweeping } = host;
    let pages = faults.strike('sweep-out-of-time') ? chance.between(0, 2) : Infinity;
    // As in lambdas/supervisor.ts: until the reserved time begins.
    const latest = timeline.now() + options.setting.invocationMs;
    const mayContinue = () => {
      pages -= 1;
      return pages >= 0 && timeline.now() < latest;
    };
    const { sweepRuns, coordination, shards } = options.shared;
    const known = coordination.recall(shards[host.release]).shards;
    const completed = shard === null ? sweepRuns.tickBegan(known) : () => {};
    invoke(host, options.shared, async () => {
      if (swept.some(({ isAlive }) => isAlive())) faults.note('sweeps-overlapped');
      swept.push(host.machine);
      try {
        const sweep = sweeping.tick();
        if (shard !== null) return void (await sweep.shard(shard, mayContinue));
        try {
          await sweep.tick();
          completed();
        } finally {
          await sweeping.nudgeHeld();
        }
      } finally {
        swept.splice(swept.indexOf(host.machine), 1);
      }
    });
  }

  function tick(): void {
    withSupervisor(null);
  }

  return {
    handOver(shard) {
      if (faults.strike('hand-over-lost')) return;
      timeline.at(timeline.now() + chance.between(10, 800), () => withSupervisor(shard));
    },
    stop() {
      stopped = true;
    },
  };
}
