/** What an instance knows of names that others choose, such as the keys of limits: bounded, since there may be very many. */

/** Values by name; the one that was set least recently is forgotten when there are too many. */
export interface RecentMap<Value> {
  get(name: string): Value | undefined;
  set(name: string, value: Value): void;
  delete(name: string): void;
  entries(): Iterable<[name: string, value: Value]>;
}

/** @param most values at once */
export function recentMap<Value>(most: number): RecentMap<Value> {
  const all = new Map<string, Value>();
  return {
    get: (name) => all.get(name),
    set(name, value) {
      all.delete(name);
      all.set(name, value);
      const [oldest] = all.keys();
      if (all.size > most && oldest !== undefined) all.delete(oldest);
    },
    delete: (name) => void all.delete(name),
    entries: () => all.entries(),
  };
}
