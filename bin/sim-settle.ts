/** Lets every promise come to rest: the next tick comes only when none can go on. */
export const settle = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));
