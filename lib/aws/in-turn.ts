/** Work of an invocation of which each part is done although an earlier one failed. */

/**
 * Does all, one after the other.
 *
 * @param further is given each error after the first
 * @throws the first error, when all is done
 */
export async function inTurn(
  work: readonly (() => Promise<unknown>)[],
  further: (error: unknown) => void,
): Promise<void> {
  const [first, ...rest] = work;
  if (first === undefined) return;
  try {
    await first();
  } catch (error) {
    await inTurn(rest, further).catch(further);
    throw error;
  }
  await inTurn(rest, further);
}
