/** A JSON value. A property whose value is undefined counts as absent. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** The value with all its lists and objects read-only. Any JSON is so already. */
export type ReadonlyJson<Value> = JsonValue extends Value
  ? Value
  : Value extends readonly unknown[]
    ? number extends Value['length']
      ? ReadonlyList<Value[number]>
      : ReadonlyFields<Value>
    : ReadonlyFields<Value>;
type ReadonlyFields<Value> = { readonly [Key in keyof Value]: ReadonlyJson<Value[Key]> };
/** An interface, because TypeScript resolves the elements of a type at once, without end for a list that may contain itself. */
interface ReadonlyList<Element> extends ReadonlyArray<ReadonlyJson<Element>> {}

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
