/**
 * Loads, once for all who ask, what most instances of a function never need. A load that fails is tried again for the next one
 * who asks: an instance serves for hours.
 */
export function onDemand<Value>(load: () => Promise<Value>): () => Promise<Value> {
  let loading: Promise<Value> | undefined;
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
}
