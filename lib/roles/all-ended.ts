/**
 * The results of all. Rejects with the error of the first that failed, and only when all have ended: a function is frozen after its result, even
 * while work is in flight.
 */
export async function allEnded<Value>(work: readonly Promise<Value>[]): Promise<readonly Value[]> {
  await Promise.allSettled(work);
  return Promise.all(work);
}
