/**
 * Corrections of the details of a stopped order, with which an operator makes the remaining steps
 * possible. The submitted document never changes: the history holds the corrections with their author and
 * time, and the current details are the submitted ones with all corrections applied.
 */
import { isList, isObject, type JsonValue } from './json.ts';

/** A new value for one field of the details. */
export interface Correction {
  /** Dotted path into the details, with array indexes: `payment.token`, `lines.0.quantity`. */
  readonly field: string;
  readonly value: JsonValue;
}

/** The details with the correction applied; undefined when the path does not exist in them. */
export function corrected(details: JsonValue, { field, value }: Correction): JsonValue | undefined {
  return put(details, pathOf(field), value);
}

/** The value at a dotted path; undefined when the path does not exist. */
export function fieldOf(details: JsonValue, field: string): JsonValue | undefined {
  return valueAt(details, pathOf(field));
}

const pathOf = (field: string): readonly string[] => field.split('.');

/** Undefined when the path does not exist. The last name of the path may be new in its object. */
function put(
  document: JsonValue,
  path: readonly string[],
  value: JsonValue,
): JsonValue | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const inner = valueAt(document, [name]);
  if (inner === undefined && !(isObject(document) && rest.length === 0)) return undefined;
  const next = inner === undefined ? value : put(inner, rest, value);
  if (next === undefined) return undefined;
  if (isList(document)) return document.with(Number(name), next);
  return isObject(document) ? { ...document, [name]: next } : undefined;
}

function valueAt(document: JsonValue, path: readonly string[]): JsonValue | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return document;
  const inner = member(document, name);
  return inner === undefined ? undefined : valueAt(inner, rest);
}

function member(document: JsonValue, name: string): JsonValue | undefined {
  if (isList(document)) return /^(0|[1-9]\d*)$/.test(name) ? document[Number(name)] : undefined;
  if (typeof document !== 'object' || document === null) return undefined;
  return Object.hasOwn(document, name) ? document[name] : undefined;
}
