/**
 * A checksum in each stored row, over all of its columns: the next read detects a bit that the disk has flipped, even
 * if the row still parses. CRC-32 detects every change of up to three bits in the texts of rows of this size, and all
 * but one in 4 × 10⁹ larger changes. The numbers of a record are mixed into the seed of the CRC, because formatting
 * them as digits costs as much as the rest: every change within 32 bits of one number is detected, and all but one in
 * 4 × 10⁹ other changes.
 */
import { crc32 } from 'node:zlib';
import type { StoredRecord } from '#core/codec/record-codec.ts';
import { CorruptDataError } from '#core/model/errors.ts';

type Value = string | number | null;

/** Text columns, in the order in which the checksum covers them. */
const columns = {
  Orders: ['OrderID', 'Details', 'Digest', 'SubmittedAt'],
  Processes: [
    'OrderID',
    'Workflow',
    'Fingerprint',
    'ProcessState',
    'LockedBy',
    'Direction',
    'Fault',
    'Priority',
    'Tenant',
    'ReplyTo',
    'CorrelationID',
    'WriteID',
    'Steps',
    'History',
  ],
  Changes: ['Change', 'Audience'],
  Lines: ['Name', 'OrderIDs'],
} as const;

/** Columns with numbers that are mixed, in the order in which they are. */
const numbers: { readonly [Table in keyof typeof columns]: readonly string[] } = {
  Orders: [],
  Processes: [
    'WorkflowVersion',
    'CompleteBy',
    'FailureCount',
    'NotBefore',
    'Revision',
    'SubmittedAt',
    'UpdatedAt',
    'DueAt',
  ],
  Changes: [],
  Lines: [],
};

export type CheckedTable = keyof typeof columns;

export const checkedTables: readonly CheckedTable[] = ['Orders', 'Processes', 'Changes', 'Lines'];

/** @param extension the column `Extension` */
export function recordChecksum(
  row: StoredRecord,
  extension: string | null,
  dueAt: number | null,
): number {
  // Unrolled instead of a loop over the columns, because every transition runs this.
  let seed = mixed(0, row.WorkflowVersion);
  seed = mixed(seed, row.CompleteBy);
  seed = mixed(seed, row.FailureCount);
  seed = mixed(seed, row.NotBefore);
  seed = mixed(seed, row.Revision);
  seed = mixed(seed, row.SubmittedAt);
  seed = mixed(seed, row.UpdatedAt);
  seed = mixed(seed, dueAt);
  return crc32(
    `${row.OrderID}\n${row.Workflow}\n${row.Fingerprint}\n${row.ProcessState}\n${row.LockedBy}\n${row.Direction}\n${row.Fault}\n${row.Priority}\n${row.Tenant}\n${row.ReplyTo}\n${row.CorrelationID}\n${row.WriteID}\n${row.Steps}\n${row.History}${extensionPart(extension)}`,
    seed >>> 0,
  );
}

export const orderChecksum = (id: string, details: string, digest: string, at: number): number =>
  crc32(`${id}\n${details}\n${digest}\n${at}`);

export const changeChecksum = (change: string, audience: string): number =>
  crc32(`${change}\n${audience}`);

export const lineChecksum = (name: string, orderIds: string): number =>
  crc32(`${name}\n${orderIds}`);

/** Empty without an extension, so that rows written before the column existed keep their checksums. */
const extensionPart = (extension: string | null) => (extension === null ? '' : `\n${extension}`);

/** The checksum that the row must have. */
export function checksumOf(table: CheckedTable, row: Readonly<Record<string, unknown>>): number {
  const seed = numbers[table].reduce((mix, name) => mixed(mix, number(row[name])), 0);
  const texts = columns[table].map((name) => text(row[name])).join('\n');
  const extension = row['Extension'] ?? null;
  return crc32(texts + (extension === null ? '' : extensionPart(text(extension))), seed >>> 0);
}

/** @throws {CorruptDataError} `row-damaged` when the row differs from what was written */
export function assertIntact(table: CheckedTable, row: Readonly<Record<string, unknown>>): void {
  if (row['Checksum'] === checksumOf(table, row)) return;
  throw new CorruptDataError('row-damaged', 'Its checksum does not agree.');
}

/** Stand for null and for a value of another type. Reeve writes no negative numbers, so they cannot collide. */
const absent = -1;
const foreign = -2;

function number(value: unknown): number | null {
  if (value === null) return null;
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : foreign;
}

/** Injective in the seed, and in each half of the number. */
function mixed(seed: number, number: number | null): number {
  const value = number ?? absent;
  const low = Math.imul(seed ^ value, 0x9e3779b1);
  const high = Math.floor(value / 2 ** 32);
  return Math.imul(low ^ (low >>> 15) ^ high, 0x85ebca6b);
}

function text(value: unknown): string {
  // A damaged type byte turns a text into bytes; their content must not match.
  return value instanceof Uint8Array ? 'bytes' : String(value satisfies unknown as Value);
}
