/** The codec of ledger rows; the only code that knows their columns. */
import * as z from 'zod';
import { type ServiceName, serviceNames } from './services.ts';

/**
 * - `applied`: the effect happened
 * - `undone`: the effect happened and was undone
 * - `declined`: the service refused permanently
 * - `tombstoned`: an undo arrived first, so that no effect can happen
 */
const entryStates = ['applied', 'undone', 'declined', 'tombstoned'] as const;
export type EntryState = (typeof entryStates)[number];

/** The state of one idempotency key. */
export interface Entry {
  readonly service: ServiceName;
  readonly key: string;
  /** Null for a tombstone until a perform comes: an undo names the key only. */
  readonly orderId: string | null;
  readonly state: EntryState;
  /** Performs with this key, including refused ones. */
  readonly calls: number;
  /** How often the effect was applied; counted, not derived, so that a 2 reveals a bug. */
  readonly effects: number;
  readonly amountCents?: number;
  /** The time of the last change of state, in ISO 8601. */
  readonly at: string;
}

export const createEntries = `
  CREATE TABLE IF NOT EXISTS entries (
    service      TEXT NOT NULL,
    key          TEXT NOT NULL,
    order_id     TEXT,
    fingerprint  TEXT,
    state        TEXT NOT NULL,
    calls        INTEGER NOT NULL,
    effects      INTEGER NOT NULL,
    amount_cents INTEGER,
    answer       TEXT,
    at_ms        INTEGER NOT NULL,
    PRIMARY KEY (service, key)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS entries_by_order ON entries (order_id);
`;

const rowSchema = z.object({
  service: z.enum(serviceNames),
  key: z.string(),
  order_id: z.string().nullable(),
  state: z.enum(entryStates),
  calls: z.int(),
  effects: z.int(),
  amount_cents: z.int().nullable(),
  at_ms: z.int(),
});

/** @throws ZodError when the row is invalid */
export function entryOf(row: unknown): Entry {
  const { order_id, amount_cents, at_ms, ...same } = rowSchema.parse(row);
  return {
    ...same,
    orderId: order_id,
    ...(amount_cents === null ? {} : { amountCents: amount_cents }),
    at: new Date(at_ms).toISOString(),
  };
}

const effectEntrySchema = z.discriminatedUnion('state', [
  z.object({
    state: z.enum(['applied', 'declined']),
    fingerprint: z.string(),
    answer: z.string(),
  }),
  z.object({ state: z.enum(['undone', 'tombstoned']) }),
]);

/** The part of an entry that decides about further calls with its key. */
export type EffectEntry = z.infer<typeof effectEntrySchema>;

/** @throws ZodError when the row is invalid */
export function effectEntryOf(row: unknown): EffectEntry {
  return effectEntrySchema.parse(row);
}

const countSchema = z.object({
  service: z.enum(serviceNames),
  state: z.enum(entryStates),
  count: z.int(),
});

/** @throws ZodError when the row is invalid */
export function countOf(row: unknown): z.infer<typeof countSchema> {
  return countSchema.parse(row);
}
