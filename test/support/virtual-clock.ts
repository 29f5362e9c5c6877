/** A clock whose time passes when a test says so. */
import type { Clock } from '#ports/clock.ts';

export interface VirtualClock extends Clock {
  /** Advances the time; events on the way run at their instants, in order. */
  advance(ms: number): Promise<void>;
  /** A wrong clock: moves the time without running anything. */
  jump(ms: number): void;
  /** Pending timers, each of which would keep a process alive. */
  pending(): number;
}

interface Appointment {
  readonly at: number;
  readonly work: () => void;
}

export function virtualClock(start = Date.UTC(2026, 0, 1)): VirtualClock {
  let now = start;
  let appointments: Appointment[] = [];
  return {
    now: () => now,
    after(ms, work) {
      // Timers of Node have whole milliseconds, and so has `Date.now`.
      const appointment = { at: now + Math.max(0, Math.trunc(ms)), work };
      appointments.push(appointment);
      return () => {
        appointments = appointments.filter((other) => other !== appointment);
      };
    },
    jump(ms) {
      now += ms;
    },
    pending: () => appointments.length,
    async advance(ms) {
      const end = now + ms;
      await settled();
      for (;;) {
        const next = appointments
          .filter(({ at }) => at <= end)
          .toSorted((a, b) => a.at - b.at)
          .at(0);
        if (next === undefined) break;
        appointments = appointments.filter((other) => other !== next);
        now = Math.max(now, next.at);
        next.work();
        await settled();
      }
      now = end;
      await settled();
    },
  };
}

/** Lets promises settle, including group commits that wait for a turn of the event loop. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve));
  }
}
