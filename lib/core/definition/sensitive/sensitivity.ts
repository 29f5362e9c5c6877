/**
 * Sensitive fields: those that a schema marks with `.meta({ sensitive: true })`. Only agents receive
 * them; redaction.ts removes them everywhere else.
 */
import * as z from 'zod';
import { SchemaPart } from './schema-part.ts';

/** The keys from a document to one of its parts, the outermost first; empty for the document itself. */
export type FieldPath = readonly string[];

/** Returns the paths of all sensitive values in a document. */
export type Sensitivity = (document: unknown) => readonly FieldPath[];

/**
 * For documents before and after the schema. The schema does not show what a transformation makes of a
 * sensitive field: the whole result of such a transformation is sensitive.
 *
 * The schema is read with the first document: that takes milliseconds of the cold start of functions, most of which show no document.
 * `checkMarks` (registry.ts) reads it before.
 */
export function sensitivityOf(schema: z.ZodType): Sensitivity {
  let read: Sensitivity | undefined;
  return (document) => {
    read ??= readSensitivity(schema);
    return read(document);
  };
}

function readSensitivity(schema: z.ZodType): Sensitivity {
  const shown = (io: 'input' | 'output') =>
    SchemaPart.of(z.toJSONSchema(schema, { io, unrepresentable: 'any' }));
  const [before, after] = [shown('input'), shown('output')];
  if (!before.hasMarks() && !after.hasMarks()) return () => [];
  return (document) => pathsIn(document, before, after);
}

/**
 * Traverses the document and its two schemas together: null where a schema has no such part. Where only the schema of
 * what is given has marks, a transformation has hidden them, so that any part of its result may be sensitive.
 */
function pathsIn(
  value: unknown,
  before: SchemaPart | null,
  after: SchemaPart | null,
): readonly FieldPath[] {
  if (value === undefined || (before === null && after === null)) return [];
  if (before?.isSensitive() || after?.isSensitive()) return [[]];
  if (before?.hasMarks() && !after?.hasMarks()) return [[]];
  return [
    ...pairs(before?.alternatives() ?? [], after?.alternatives() ?? []).flatMap((pair) =>
      pathsIn(value, ...pair),
    ),
    ...members(value).flatMap(([name, inner, of]) =>
      pathsIn(inner, before?.member(of, name) ?? null, after?.member(of, name) ?? null).map(
        (path) => [name, ...path],
      ),
    ),
  ];
}

type Pair = readonly [before: SchemaPart | null, after: SchemaPart | null];

/** The alternatives of a schema have the same sequence before and after; those of different schemas do not correspond. */
function pairs(before: readonly SchemaPart[], after: readonly SchemaPart[]): readonly Pair[] {
  if (before.length === after.length) return before.map((one, at) => [one, after[at] ?? null]);
  return [...before.map((one): Pair => [one, null]), ...after.map((one): Pair => [null, one])];
}

function members(value: unknown): readonly (readonly [string, unknown, object])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).map(([name, inner]) => [name, inner, value] as const);
}
