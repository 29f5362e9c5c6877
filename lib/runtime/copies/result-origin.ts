/** Where the result of a schema comes from. Most schemas make a new document, whose copy would be wasted. */
import * as z from 'zod';
import { jsonSchema, submittedSchema } from '#core/codec/json-schema.ts';

/**
 * `new`: the lists and objects of its result belong to it alone. `given`: some may be those that it was given. `any`: some may be those of its
 * author, such as a default or the result of a function.
 */
export type ResultOrigin = 'new' | 'given' | 'any';

/** The origin of the results of a schema, known once for all of them. */
export function resultOrigin(schema: unknown): ResultOrigin {
  return originOf(schema, new Set());
}

/** @param around the schemas that this one is a part of: a schema of trees has itself as a part */
function originOf(schema: unknown, around: ReadonlySet<unknown>): ResultOrigin {
  // What it adds to its own origin is that of its other parts.
  if (around.has(schema)) return 'new';
  // Their functions only look.
  if (schema === jsonSchema || schema === submittedSchema) return 'given';
  if (!(schema instanceof z.ZodType)) return 'any';
  if (isLeaf(schema)) return 'new';
  // Functions may put another value in place of the one that they check.
  if (schema.def.checks?.some(({ _zod }) => isCode(_zod.def.check)) === true) return 'any';
  if (schema instanceof z.ZodUnknown || schema instanceof z.ZodAny) return 'given';
  const inside = new Set([...around, schema]);
  if (schema instanceof z.ZodPipe) return ofPipe(schema, inside);
  const parts = partsOf(schema);
  return parts === null ? 'any' : widest(parts.map((part) => originOf(part, inside)));
}

/** What returns no list and no object. */
function isLeaf({ type }: z.ZodType): boolean {
  switch (type) {
    case 'string':
    case 'number':
    case 'int':
    case 'boolean':
    case 'null':
    case 'undefined':
    case 'literal':
    case 'enum':
    case 'template_literal':
    case 'never':
      return true;
    default:
      return false;
  }
}

const isCode = (check: string) => check === 'custom' || check === 'overwrite';

/** The second schema is given what the first one returns; that of a codec what its function makes of it. */
function ofPipe(pipe: z.ZodPipe, around: ReadonlySet<unknown>): ResultOrigin {
  const last = originOf(pipe.out, around);
  if (last !== 'given') return last;
  return pipe instanceof z.ZodCodec ? 'any' : originOf(pipe.in, around);
}

/** The schemas of the parts of a new list or object, or those of which one is applied; null: its result is unknown. */
function partsOf(schema: z.ZodType): readonly unknown[] | null {
  if (schema instanceof z.ZodObject) {
    const { shape, catchall } = schema.def;
    return [...Object.values(shape), ...(catchall === undefined ? [] : [catchall])];
  }
  if (schema instanceof z.ZodArray) return [schema.def.element];
  // A loose one passes on what has another name.
  if (schema instanceof z.ZodRecord && schema.def.mode !== 'loose') return [schema.def.valueType];
  if (schema instanceof z.ZodUnion) return schema.def.options;
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) {
    return [schema.def.innerType];
  }
  return null;
}

/** Of all parts. */
function widest(origins: readonly ResultOrigin[]): ResultOrigin {
  if (origins.includes('any')) return 'any';
  return origins.includes('given') ? 'given' : 'new';
}
