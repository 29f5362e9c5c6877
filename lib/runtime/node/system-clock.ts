/** The clock of the machine. */
import type { Clock } from '#ports/clock.ts';

/** The longest timer of Node, ms; a longer wait is made of several. */
const timerMaxMs = 2 ** 31 - 1;

/** Reads the time of the machine, and waits with its timers. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after(ms, work) {
    let timer: NodeJS.Timeout;
    const wait = (left: number) => {
      timer =
        left > timerMaxMs
          ? setTimeout(() => wait(left - timerMaxMs), timerMaxMs)
          : setTimeout(work, Math.max(0, left));
    };
    wait(ms);
    return () => clearTimeout(timer);
  },
};

/** The times of the machine, for `queueClock`: setting its clock changes `now` alone. */
export const systemTimes = { now: systemClock.now, uptime: () => performance.now() };
