/** Whether two documents are equal, regardless of the order of their fields. */
export function isSame(one: unknown, other: unknown): boolean {
  return isSameAs(one, other, null);
}

/** Pairs of objects that are equal. */
export type KnownPairs = WeakMap<object, object>;

/**
 * Like {@link isSame}, for documents that have many objects in common, such as the revisions of a record: compares no
 * pair of objects twice. No document may change while `known` is in use.
 */
export function isSameAs(one: unknown, other: unknown, known: KnownPairs | null): boolean {
  if (Object.is(one, other)) return true;
  if (!isObject(one) || !isObject(other) || Array.isArray(one) !== Array.isArray(other)) {
    return false;
  }
  if (known?.get(one) === other) return true;
  const keys = Object.keys(one);
  if (keys.length !== Object.keys(other).length) return false;
  for (const key of keys) {
    if (!(key in other) || !isSameAs(one[key], other[key], known)) return false;
  }
  known?.set(one, other);
  return true;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
