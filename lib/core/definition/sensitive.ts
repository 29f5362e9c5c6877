/**
 * Sensitive fields: those that a schema marks with `.meta({ sensitive: true })`. They go to the agents
 * that need them, and to nobody who only looks: see redaction.ts.
 */
import * as z from 'zod';
import { isObject } from '#core/model/json.ts';

/** Keys from a document's outside to one of its parts; none: the document itself. */
export type FieldPath = readonly string[];

/** Gives the ways to whatever is sensitive in a document. */
export type Sensitivity = (document: unknown) => readonly FieldPath[];

/**
 * Of documents that the schema took or gave. What a transformation makes of a sensitive field cannot be
 * told from the schema: then the whole of what it gives is sensitive.
 */
export function sensitivityOf(schema: z.ZodType): Sensitivity {
  const [taken, given] = (['input', 'output'] as const).map((io) =>
    z.toJSONSchema(schema, { io, unrepresentable: 'any' }),
  );
  if (!isMarked(taken)) return isMarked(given) ? (document) => pathsIn(document, given) : () => [];
  if (!isMarked(given)) return () => [[]];
  return (document) => [...pathsIn(document, taken), ...pathsIn(document, given)];
}

const isMarked = (shape: unknown) => JSON.stringify(shape).includes('"sensitive":true');

/** Walks document and JSON Schema side by side. */
function pathsIn(document: unknown, root: unknown): readonly FieldPath[] {
  return walk(document, root);

  function walk(value: unknown, shape: unknown): readonly FieldPath[] {
    if (!isObject(shape) || value === undefined) return [];
    if (shape['sensitive'] === true) return [[]];
    return [
      ...alternatives(shape).flatMap((one) => walk(value, one)),
      ...members(value).flatMap(([name, inner]) =>
        walk(inner, memberShape(value, shape, name)).map((way) => [name, ...way]),
      ),
    ];
  }

  /** What the same value must fit as well, or instead. */
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

/** `#`, or `#/$defs/name`: all that is made of zod's schemas. */
function referred(root: unknown, ref: string): unknown {
  return ref
    .split('/')
    .slice(1)
    .reduce<unknown>((shape, name) => (isObject(shape) ? shape[name] : undefined), root);
}
