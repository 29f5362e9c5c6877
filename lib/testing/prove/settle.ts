/** Continues when every promise has settled: the next tick runs when no promise can continue. */
export function settle(then: () => void): void {
  process.nextTick(afterTick, then);
}

const settled = Promise.resolve();

/** As a promise's work: ticks that are asked for in a tick follow at once, before the promises that it settles. */
function afterTick(then: () => void): void {
  void settled.then(then);
}
