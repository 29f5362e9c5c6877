/** Numbers in [0, 1) that look random, the same in every run. */
export function randoms(seed = 1): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
