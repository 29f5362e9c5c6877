/**
 * Turns among names of which a few are offered at a time: by weight over time, however they are offered. It remembers what
 * each name has received, unlike the fair queue, which forgets when it is empty. Start-time fair queueing.
 */

/** See {@link fairTurns}. */
export interface FairTurns<Name> {
  /** One of the offered names, which has received the least for its weight; undefined when there are none. */
  next(offered: Iterable<Name>): Name | undefined;
}

/** So many names are remembered at least; those beyond it that have received no more than others are forgotten. */
const rememberedMin = 1_000;

/** @param weightOf positive; the turns of a name grow with it */
export function fairTurns<Name>(weightOf: (name: Name) => number): FairTurns<Name> {
  const received = new Map<Name, number>();
  /** A name that was not offered for a while starts here, so that it has no claim on the time before. */
  let now = 0;
  const startOf = (name: Name) => Math.max(received.get(name) ?? 0, now);
  return {
    next(offered) {
      let first: Name | undefined;
      let start = Number.POSITIVE_INFINITY;
      for (const name of offered) {
        if (startOf(name) >= start) continue;
        first = name;
        start = startOf(name);
      }
      if (first === undefined) return undefined;
      now = start;
      received.set(first, start + 1 / weightOf(first));
      if (received.size > rememberedMin) {
        for (const [name, until] of received) if (until <= now) received.delete(name);
      }
      return first;
    },
  };
}
