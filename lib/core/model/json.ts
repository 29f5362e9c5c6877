/** JSON as a type, and the one text of a document that does not depend on the order of its keys. */
export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue | undefined };

/** JSON with sorted keys: equal documents give equal texts. */
export function canonicalJson(value: JsonValue): string {
  return JSON.stringify(value, (_key, inner: JsonValue) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}

/** Of any value whether it is an object as JSON has them: no list, and not null. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether it is a list; by `Array.isArray` alone the compiler takes no readonly one for it. */
export function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Whether a parsed document nests no deeper than `depthMax`: deeper ones exhaust the stack. */
export function isShallow(value: unknown, depthMax: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depthMax > 0 && Object.values(value).every((inner) => isShallow(inner, depthMax - 1));
}

/**
 * The keys that lead to the first value of which `isIt` says so, the outermost first; null where there
 * is none. Of a document known to be shallow.
 */
export function pathTo(
  value: unknown,
  isIt: (value: unknown, key: string) => boolean,
  key = '',
): readonly string[] | null {
  if (isIt(value, key)) return [];
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, inner] of Object.entries(value)) {
    const way = pathTo(inner, isIt, name);
    if (way !== null) return [name, ...way];
  }
  return null;
}
