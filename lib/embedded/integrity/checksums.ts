/**
 * A checksum in each stored row, over all of its columns: a bit that the disk has changed is found at the
 * next read, where the row might otherwise still look like one. CRC-32 finds every change of up to three
 * bits in the texts of rows of this size, and misses one in four thousand million of larger ones. Numbers of a
 * record are mixed into what the CRC begins with, because to write them out as digits costs as much as the
 * rest: every change within 32 bits of one number is found, and all but one in four thousand million others.
 */
import { crc32 } from 'node:zlib';
import type { StoredRecord } from '#core/codec/record-codec.ts';
import { CorruptDataError } from '#core/model/errors.ts';

type Value = string | number | null;

/** Columns with texts, in the order in which they are summed up. */
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
};

export type CheckedTable = keyof typeof columns;

export const checkedTables: readonly CheckedTable[] = ['Orders', 'Processes', 'Changes'];

/** `extension`: the column of that name. */
export function recordChecksum(
  row: StoredRecord,
  extension: string | null,
  dueAt: number | null,
): number {
  // Written out, and not a loop over the columns: it is on the path of every transition.
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

/** Nothing where there is none: rows that were written before there was such a column keep their checksums. */
const extensionPart = (extension: string | null) => (extension === null ? '' : `\n${extension}`);

/** What the row's checksum must be. */
export function checksumOf(table: CheckedTable, row: Readonly<Record<string, unknown>>): number {
  const seed = numbers[table].reduce((mix, name) => mixed(mix, number(row[name])), 0);
  const texts = columns[table].map((name) => text(row[name])).join('\n');
  const extension = row['Extension'] ?? null;
  return crc32(texts + (extension === null ? '' : extensionPart(text(extension))), seed >>> 0);
}

/** @throws {CorruptDataError} `row-damaged` when the row is not what was written */
export function assertIntact(table: CheckedTable, row: Readonly<Record<string, unknown>>): void {
  if (row['Checksum'] === checksumOf(table, row)) return;
  throw new CorruptDataError('row-damaged', 'Its checksum does not agree.');
}

/** No Reeve writes a number below nothing: these stand for what is no number. */
const absent = -1;
const foreign = -2;

function number(value: unknown): number | null {
  if (value === null) return null;
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : foreign;
}

/** One to one for either argument, as far as 32 bits of the number go at a time. */
function mixed(seed: number, of: number | null): number {
  const value = of ?? absent;
  const low = Math.imul(seed ^ value, 0x9e3779b1);
  const high = Math.floor(value / 2 ** 32);
  return Math.imul(low ^ (low >>> 15) ^ high, 0x85ebca6b);
}

function text(value: unknown): string {
  // A damaged type may make bytes of a text: those are no text, whatever they hold.
  return value instanceof Uint8Array ? 'bytes' : String(value satisfies unknown as Value);
}
