/**
 * The steps that were the probe of an open circuit, and failed. Such a step is not the probe again before an eighth of the time that it
 * has been held, at most five minutes: each probe costs two writes and two entries in the history of its order. No other step is delayed, even
 * if it has been held for long, such as one of a former process, or of an agent that was drained.
 */
import type { Nudge } from '#core/model/message.ts';
import type { Clock } from '#ports/clock.ts';

const probeAgainAfter = { part: 1 / 8, maxMs: 300_000 };

/** Steps with the nudges of their orders. */
type Due = readonly (readonly [string, Nudge])[];

/** See {@link probedSteps}. */
export interface ProbedSteps {
  /** How many wait to be the probe again. */
  size(): number;
  /**
   * The step is held again after its probe.
   *
   * @param since since when it has been held, ms since the epoch
   */
  add(step: string, nudge: Nudge, since: number): void;
  remove(step: string): void;
  /** Whether the step waits here; by this nudge from now on. */
  relabel(step: string, nudge: Nudge): boolean;
  /** Removes those that may be the probe again. */
  takeDue(): Due;
  /** Removes all of them: the service answers. */
  takeAll(): Due;
  /** When the first of them may be the probe again; infinite when none waits. */
  earliest(): number;
}

interface Probed {
  nudge: Nudge;
  /** Not the probe again before this instant, ms since the epoch. */
  readonly probeFrom: number;
  readonly waitMs: number;
}

/** No step waits at first. */
export function probedSteps(clock: Pick<Clock, 'now'>): ProbedSteps {
  const all = new Map<string, Probed>();

  function taken(isDue: (one: Probed) => boolean): Due {
    const due = [...all].filter(([, one]) => isDue(one));
    for (const [step] of due) all.delete(step);
    return due.map(([step, { nudge }]) => [step, nudge]);
  }

  return {
    size: () => all.size,
    add(step, nudge, since) {
      const nowMs = clock.now();
      const waitMs = beforeProbeAgain(nowMs - since);
      all.set(step, { nudge, waitMs, probeFrom: nowMs + waitMs });
    },
    remove: (step) => void all.delete(step),
    relabel(step, nudge) {
      const own = all.get(step);
      if (own !== undefined) own.nudge = nudge;
      return own !== undefined;
    },
    takeDue() {
      const nowMs = clock.now();
      return taken((one) => probeFromOf(one, nowMs) <= nowMs);
    },
    takeAll: () => taken(() => true),
    earliest() {
      const nowMs = clock.now();
      let earliest = Number.POSITIVE_INFINITY;
      for (const one of all.values()) earliest = Math.min(earliest, probeFromOf(one, nowMs));
      return earliest;
    },
  };
}

const beforeProbeAgain = (heldMs: number) =>
  Math.min(probeAgainAfter.maxMs, Math.ceil(heldMs * probeAgainAfter.part));

/** One that is further ahead than the wait says that the clock was set back since: then it has come. */
const probeFromOf = ({ probeFrom, waitMs }: Probed, nowMs: number) =>
  probeFrom - nowMs > waitMs ? nowMs : probeFrom;
