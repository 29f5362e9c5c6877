/** A clock whose time passes when a test says so. */
import { nextTurn } from '#event-loop/turns.ts';
import type { Clock } from '#ports/clock.ts';

export interface TestClock extends Clock {
  /** Advances the time; events on the way run at their instants, in order. */
  advance(ms: number): Promise<void>;
  /** Runs the next event that is due until then. False: there was none, and the time is at least that instant now. */
  step(end: number): Promise<boolean>;
  /** Advances the time to the next event, and runs it. */
  next(): Promise<void>;
  /** Moves the time at once, and then runs everything that was due until then. */
  leap(ms: number): Promise<void>;
  /** Moves the time without running anything, as a clock that was wrong is set. */
  jump(ms: number): void;
  /** Pending timers, each of which would keep a process alive. */
  pending(): number;
  /** Says that something happened: what rings now does more than look. */
  noteWork(): void;
  /** How often something happened: timers that were made or cancelled, and what was noted. */
  works(): number;
  /** The instant of the first timer that is not idle; infinite when all are. */
  nextWork(): number;
}

interface Appointment {
  readonly at: number;
  readonly ms: number;
  readonly work: () => void;
  /** Since when it has only repeated itself; null: it is no repetition. */
  idleSince: number | null;
}

/**
 * A timer that has only repeated itself for so long, ms, is idle: it looks for work, as the deletion of old orders does, and finds none until
 * something else happens. Longer than what ends by time alone: a circuit that has recovered is looked at every 5 s, for 10 s and more.
 */
const idleAfterMs = 30_000;

/** @param start ms since the epoch */
export function testClock(start: number = Date.UTC(2026, 0, 1)): TestClock {
  let now = start;
  let appointments: Appointment[] = [];
  let works = 0;
  /** What was made since the latest ring began. */
  let made: Appointment[] = [];
  const dueUntil = (end: number) =>
    appointments.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at);

  /** Runs them at once. Those that did nothing else than to repeat themselves are on the way to be idle. */
  async function ring(due: readonly Appointment[]): Promise<void> {
    appointments = appointments.filter((other) => !due.includes(other));
    const before = works;
    const own: Appointment[] = [];
    made = own;
    for (const { work } of due) work();
    await settled();
    const former = own.map(({ ms }) => due.find((rung) => rung.ms === ms));
    if (works - before > own.length || former.includes(undefined)) return;
    for (const [index, one] of own.entries()) {
      const rung = former[index];
      if (rung !== undefined) one.idleSince = rung.idleSince ?? rung.at - rung.ms;
    }
  }

  async function keep(appointment: Appointment): Promise<void> {
    now = Math.max(now, appointment.at);
    await ring([appointment]);
  }

  async function step(end: number): Promise<boolean> {
    const [appointment] = dueUntil(end);
    // Something else may have moved the time further meanwhile.
    if (appointment === undefined) now = Math.max(now, end);
    await (appointment === undefined ? settled() : keep(appointment));
    return appointment !== undefined;
  }

  return {
    now: () => now,
    step,
    after(ms, work) {
      // Timers of Node have whole milliseconds, and so has the clock of the system.
      const whole = Math.max(0, Math.trunc(ms));
      const appointment: Appointment = { at: now + whole, ms: whole, work, idleSince: null };
      appointments.push(appointment);
      made.push(appointment);
      works += 1;
      return () => {
        const left = appointments.filter((other) => other !== appointment);
        if (left.length < appointments.length) works += 1;
        appointments = left;
      };
    },
    jump(ms) {
      now += ms;
    },
    async leap(ms) {
      now += ms;
      for (let due = dueUntil(now); due.length > 0; due = dueUntil(now)) await ring(due);
    },
    pending: () => appointments.length,
    noteWork() {
      works += 1;
    },
    works: () => works,
    nextWork() {
      let first = Number.POSITIVE_INFINITY;
      for (const { at, idleSince } of appointments) {
        if (idleSince === null || now - idleSince < idleAfterMs) first = Math.min(first, at);
      }
      return first;
    },
    async next() {
      const [appointment] = dueUntil(Number.POSITIVE_INFINITY);
      if (appointment !== undefined) await keep(appointment);
    },
    async advance(ms) {
      const end = now + ms;
      await settled();
      while (await step(end)) {
        // Each event may make others.
      }
    },
  };
}

/** Lets promises settle, including group commits that wait for a turn of the event loop. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) {
    await nextTurn();
  }
}
