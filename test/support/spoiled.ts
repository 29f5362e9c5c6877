/** A sound JSON document with one place spoiled, as text: only a text can hold every way to be wrong. */
import fc from 'fast-check';

type Path = readonly (string | number)[];

/** One that a decoder may take for more, or for less, than it is. */
const rawValue = fc.oneof(
  fc.constantFrom(
    ...['null', 'true', '-0', '0', '-1', '1.5', '1e-400', '9007199254740993', '1e308', '1e400'],
    ...['""', '"__proto__"', '"\\ud800"', '"\\u0000\\uffff"', '"a/b"', '"1"', '"[]"', '"{}"'],
    ...['[]', '{}', '[null]', '{"__proto__":{"x":1}}', '{"constructor":{"prototype":1}}'],
    ...['{"length":1,"0":"N"}', '{"toString":null}', '{"a":1,"a":2}'],
  ),
  // Deeper than messages may be, and about as deep as an output of 8 KiB can: V8 itself writes no deeper ones.
  fc.integer({ min: 60, max: 3_000 }).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc
    .integer({ min: 60, max: 1_500 })
    .map((depth) => `${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`),
  fc.constantFrom(200, 10_000, 300_000).map((length) => `"${'x'.repeat(length)}"`),
  fc.json(),
);
const rawName = fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', '', 'x');

type Spoil =
  | { readonly kind: 'removed' | 'doubled' }
  | { readonly kind: 'replaced'; readonly by: string }
  | { readonly kind: 'beside'; readonly name: string; readonly by: string };

const spoil: fc.Arbitrary<Spoil> = fc.oneof(
  fc.constantFrom<Spoil>({ kind: 'removed' }, { kind: 'doubled' }),
  rawValue.map((by): Spoil => ({ kind: 'replaced', by })),
  fc.tuple(rawName, rawValue).map(([name, by]): Spoil => ({ kind: 'beside', name, by })),
);

/** Every place below the document itself. */
function places(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return inner.flatMap(([key, item]) => [[...path, key], ...places(item, [...path, key])]);
}

const text = (value: unknown) => JSON.stringify(value) ?? 'null';

function written(value: unknown, [key, ...rest]: Path, how: Spoil): string {
  if (typeof value !== 'object' || value === null) return text(value);
  const isList = Array.isArray(value);
  const item = (name: string | number, raw: string) => (isList ? raw : `${text(name)}:${raw}`);
  const inner: [string | number, unknown][] = isList ? [...value.entries()] : Object.entries(value);
  const items = inner.flatMap(([name, at]) => {
    if (name !== key) return item(name, text(at));
    return rest.length > 0 ? item(name, written(at, rest, how)) : hurt(name, text(at), how, item);
  });
  return isList ? `[${items.join(',')}]` : `{${items.join(',')}}`;
}

function hurt(
  name: string | number,
  sound: string,
  how: Spoil,
  item: (name: string | number, raw: string) => string,
): string[] {
  switch (how.kind) {
    case 'removed':
      return [];
    case 'doubled':
      return [item(name, sound), item(name, sound)];
    case 'replaced':
      return [item(name, how.by)];
    case 'beside':
      return [item(name, sound), item(how.name, how.by)];
  }
}

export function spoiled(document: unknown): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...places(document)), spoil)
    .map(([path, how]) => written(document, path, how));
}

/** Texts of which hardly any is JSON of the right form, and some is no JSON. */
export const rubbish: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary' }),
  rawValue,
  fc.json(),
);

/** A parsed document as a complete text, because JSON writes a number that is too large as null. */
export const wholeText = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'number' && !Number.isFinite(inner) ? String(inner) : inner,
  );
