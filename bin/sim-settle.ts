/** Lets every promise come to rest: a turn of the event loop comes only when none can go on. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
