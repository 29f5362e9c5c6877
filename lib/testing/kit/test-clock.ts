/** A clock whose time passes when a test says so. */
import type { Clock } from '#ports/clock.ts';

export interface TestClock extends Clock {
  /** Advances the time; events on the way run at their instants, in order. */
  advance(ms: number): Promise<void>;
  /** Advances the time to the next event, and runs it. */
  next(): Promise<void>;
  /** Moves the time at once, and then runs everything that was due until then. */
  leap(ms: number): Promise<void>;
  /** Moves the time without running anything, as a clock that was wrong is set. */
  jump(ms: number): void;
  /** Pending timers, each of which would keep a process alive. */
  pending(): number;
}

interface Appointment {
  readonly at: number;
  readonly work: () => void;
}

/** @param start ms since the epoch */
export function testClock(start: number = Date.UTC(2026, 0, 1)): TestClock {
  let now = start;
  let appointments: Appointment[] = [];
  const soonest = (end: number) =>
    appointments
      .filter(({ at }) => at <= end)
      .toSorted((a, b) => a.at - b.at)
      .at(0);

  const dueNow = () => appointments.filter(({ at }) => at <= now).toSorted((a, b) => a.at - b.at);

  async function keep(appointment: Appointment): Promise<void> {
    appointments = appointments.filter((other) => other !== appointment);
    now = Math.max(now, appointment.at);
    appointment.work();
    await settled();
  }

  return {
    now: () => now,
    after(ms, work) {
      // Timers of Node have whole milliseconds, and so has the clock of the system.
      const appointment = { at: now + Math.max(0, Math.trunc(ms)), work };
      appointments.push(appointment);
      return () => {
        appointments = appointments.filter((other) => other !== appointment);
      };
    },
    jump(ms) {
      now += ms;
    },
    async leap(ms) {
      now += ms;
      for (let due = dueNow(); due.length > 0; due = dueNow()) {
        appointments = appointments.filter(({ at }) => at > now);
        for (const { work } of due) work();
        await settled();
      }
    },
    pending: () => appointments.length,
    async next() {
      const appointment = soonest(Number.POSITIVE_INFINITY);
      if (appointment !== undefined) await keep(appointment);
    },
    async advance(ms) {
      const end = now + ms;
      await settled();
      for (let one = soonest(end); one !== undefined; one = soonest(end)) await keep(one);
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
