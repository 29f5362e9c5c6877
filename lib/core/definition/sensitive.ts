/**
 * Sensitive fields: those that a schema marks with `.meta({ sensitive: true })`. Only agents receive
 * them; redaction.ts removes them everywhere else.
 */
import * as z from 'zod';
import { isObject } from '#core/model/json.ts';

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
  const [before, after] = (['input', 'output'] as const).map((io) =>
    z.toJSONSchema(schema, { io, unrepresentable: 'any' }),
  );
  if (!isMarked(before)) return isMarked(after) ? (document) => pathsIn(document, after) : () => [];
  if (!isMarked(after)) return () => [[]];
  return (document) => [...pathsIn(document, before), ...pathsIn(document, after)];
}

const isMarked = (shape: unknown) => JSON.stringify(shape).includes('"sensitive":true');

/** Traverses the document and its JSON Schema together. */
function pathsIn(document: unknown, root: unknown): readonly FieldPath[] {
  return walk(document, root);

  function walk(value: unknown, shape: unknown): readonly FieldPath[] {
    if (!isObject(shape) || value === undefined) return [];
    if (shape['sensitive'] === true) return [[]];
    return [
      ...alternatives(shape).flatMap((one) => walk(value, one)),
      ...members(value).flatMap(([name, inner]) =>
        walk(inner, memberShape(value, shape, name)).map((path) => [name, ...path]),
      ),
    ];
  }

  /** Further schemas of the same value. */
  function alternatives(shape: { readonly [key: string]: unknown }): readonly unknown[] {
    const { $ref, anyOf, oneOf, allOf } = shape;
    const listed = [anyOf, oneOf, allOf].flatMap((list) => (Array.isArray(list) ? list : []));
    return typeof $ref === 'string' ? [...listed, referred(root, $ref)] : listed;
  }
}

function members(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function memberShape(
  value: unknown,
  shape: { readonly [key: string]: unknown },
  name: string,
): unknown {
  if (Array.isArray(value)) {
    const { prefixItems, items } = shape;
    return (Array.isArray(prefixItems) ? prefixItems[Number(name)] : undefined) ?? items;
  }
  const { properties, additionalProperties } = shape;
  const own = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : null;
  return own ?? additionalProperties;
}

/** Resolves `#` and `#/$defs/name`, the only references that zod generates. */
function referred(root: unknown, ref: string): unknown {
  return ref
    .split('/')
    .slice(1)
    .reduce<unknown>((shape, name) => (isObject(shape) ? shape[name] : undefined), root);
}
