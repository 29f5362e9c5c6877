/** The schedule of the Supervisors: a tick each period, at least once, late, twice, or not at all. */
import { invoke } from '#sim/ports/deliveries.ts';
import type { Fleet } from './fleet.ts';
import type { Machine } from './machine.ts';
import type { Setting } from './setting.ts';
import type { SharedInfrastructure } from './shared-infrastructure.ts';

export interface Sweeps {
  /** One shard, soon, by whoever is there. */
  handOver(shard: number): void;
  stop(): void;
}

export interface SweepOptions {
  readonly plant: SharedInfrastructure;
  readonly fleet: Fleet;
  readonly setting: Setting;
  /** Until when nothing at all will go on, so that the time until then may pass at once; 0: it does. */
  readonly idleUntil: () => number;
}

export function sweeps(options: SweepOptions): Sweeps {
  const { fleet } = options;
  const { sweepPeriodMs: periodMs, precisionMs, oneProcess } = options.setting;
  const { timeline, chance, faults } = options.plant.around;
  const swept: Machine[] = [];
  let stopped = false;
  if (!oneProcess) schedule();

  function schedule(): void {
    // Two ticks before what is due, so that the last one was as long ago as it usually is.
    const soonest = Math.floor(fleet.soon(0) / periodMs) * periodMs + periodMs;
    const awake = Math.floor(options.idleUntil() / periodMs) * periodMs - 2 * periodMs;
    timeline.at(Math.max(soonest, awake), () => {
      if (stopped) return;
      schedule();
      if (faults.strike('sweep-skipped')) return;
      const late = faults.strike('sweep-late') ? chance.between(1_000, 90_000) : 0;
      timeline.at(timeline.now() + chance.between(0, precisionMs) + late, tick);
      if (faults.strike('sweep-doubled'))
        timeline.at(timeline.now() + chance.between(0, 3_000), tick);
    });
  }

  function withSupervisor(shard: number | null): void {
    const host = stopped ? null : fleet.pick('supervisor');
    if (host?.sweeping.kind !== 'invoked') return;
    const { sweeping } = host;
    let pages = faults.strike('sweep-out-of-time') ? chance.between(0, 2) : Infinity;
    // As lambdas/supervisor.ts: until what it spares of its time.
    const latest = timeline.now() + options.setting.invocationMs;
    const mayGoOn = () => {
      pages -= 1;
      return pages >= 0 && timeline.now() < latest;
    };
    const through = shard === null ? options.plant.sweepRuns.tickBegan() : () => {};
    invoke(host, options.plant, async () => {
      if (swept.some(({ isAlive }) => isAlive())) faults.note('sweeps-overlapped');
      swept.push(host.machine);
      try {
        const sweep = sweeping.tick();
        await (shard === null ? sweep.tick() : sweep.shard(shard, mayGoOn));
        through();
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
