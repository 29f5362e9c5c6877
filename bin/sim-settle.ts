/** Waits until every promise has settled: the next tick runs when no promise can continue. */
export const settle = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));
