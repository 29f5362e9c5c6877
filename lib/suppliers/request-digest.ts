import { createHash } from 'node:crypto';

/** 64 bits in hex: short for operators; a collision needs billions of keys. */
const SHORT_LENGTH = 16;

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** An id derived from service and key, so that every call returns the same one, also after a restart. */
export function idOf(prefix: string, service: string, key: string): string {
  return `${prefix}_${sha256(`${service}\n${key}`).slice(0, SHORT_LENGTH)}`;
}

/**
 * A digest that ignores the order of members, because a caller that stores its request in a database may get the
 * members back in another order.
 */
export function fingerprint(value: unknown): string {
  return sha256(JSON.stringify(value, membersSorted) ?? '');
}

function membersSorted(_name: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
