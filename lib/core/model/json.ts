/** A JSON value. A property whose value is undefined counts as absent. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** JSON with sorted keys: equal documents have equal texts. */
export function canonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_key, inner: JsonValue) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Whether the value is an object in the sense of JSON: not an array, and not null. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether the value is an array. `Array.isArray` alone does not narrow to readonly arrays. */
export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/**
 * The keys of the first value that `matches`, the outermost first; null when no value matches. Only for
 * shallow documents, because it is recursive.
 */
export function pathTo(
  value: unknown,
  matches: (value: unknown, key: string) => boolean,
  key = '',
): readonly string[] | null {
  if (matches(value, key)) return [];
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const path = pathTo(inner, matches, name);
    if (path !== null) return [name, ...path];
  }
  return null;
}
