/**
 * A correction: what an operator changes in the details of a stopped order, so that the steps still to do
 * can be done. The order stays as it was submitted; corrections live in the history, which says who made
 * them and when, and the details of an order are those submitted with all corrections applied.
 */
import { isList, isObject, type JsonValue } from './json.ts';

export interface Correction {
  /** Dotted path into the details, a list's places by number: `payment.token`, `lines.0.quantity`. */
  readonly field: string;
  readonly value: JsonValue;
}

/** The details with the correction made; undefined when there is no such place in them. */
export function corrected(details: JsonValue, { field, value }: Correction): JsonValue | undefined {
  return put(details, pathOf(field), value);
}

/** Undefined when there is no such place. */
export function fieldOf(details: JsonValue, field: string): JsonValue | undefined {
  return valueAt(details, pathOf(field));
}

const pathOf = (field: string): readonly string[] => field.split('.');

/** Undefined when there is no such place; a name that an object lacks may be added to it. */
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
