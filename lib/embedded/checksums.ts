/**
 * A checksum in each stored row, over all of its columns: a bit that the disk has changed is found at the
 * next read, where the row might otherwise still look like one. CRC-32 finds every change of up to three
 * bits in rows of this size, and misses one in four thousand million of larger ones.
 */
import { crc32 } from 'node:zlib';
import { CorruptDataError } from '#core/errors.ts';
import type { StoredRecord } from '#core/record-codec.ts';

type Value = string | number | null;

/** Columns in the order in which they are summed up. */
const columns = {
  Orders: ['OrderID', 'Details', 'Digest', 'SubmittedAt'],
  Processes: [
    'OrderID',
    'Workflow',
    'WorkflowVersion',
    'Fingerprint',
    'ProcessState',
    'LockedBy',
    'CompleteBy',
    'FailureCount',
    'Direction',
    'Fault',
    'Priority',
    'Tenant',
    'ReplyTo',
    'CorrelationID',
    'NotBefore',
    'Revision',
    'WriteID',
    'SubmittedAt',
    'UpdatedAt',
    'DueAt',
    'Steps',
    'History',
  ],
  Changes: ['Change', 'Audience'],
} as const;

export type CheckedTable = keyof typeof columns;

export const checkedTables: readonly CheckedTable[] = ['Orders', 'Processes', 'Changes'];

export function recordChecksum(row: StoredRecord, dueAt: number | null): number {
  // Written out, and not a loop over the columns: it is on the path of every transition.
  return crc32(
    `${row.OrderID}\n${row.Workflow}\n${row.WorkflowVersion}\n${row.Fingerprint}\n${row.ProcessState}\n${row.LockedBy}\n${row.CompleteBy}\n${row.FailureCount}\n${row.Direction}\n${row.Fault}\n${row.Priority}\n${row.Tenant}\n${row.ReplyTo}\n${row.CorrelationID}\n${row.NotBefore}\n${row.Revision}\n${row.WriteID}\n${row.SubmittedAt}\n${row.UpdatedAt}\n${dueAt}\n${row.Steps}\n${row.History}`,
  );
}

export const orderChecksum = (id: string, details: string, digest: string, at: number): number =>
  crc32(`${id}\n${details}\n${digest}\n${at}`);

export const changeChecksum = (change: string, audience: string): number =>
  crc32(`${change}\n${audience}`);

/** What the row's checksum must be. */
export function checksumOf(table: CheckedTable, row: Readonly<Record<string, unknown>>): number {
  return crc32(columns[table].map((name) => text(row[name])).join('\n'));
}

/** @throws {CorruptDataError} `row-damaged` when the row is not what was written */
export function assertIntact(table: CheckedTable, row: Readonly<Record<string, unknown>>): void {
  if (row['Checksum'] === checksumOf(table, row)) return;
  throw new CorruptDataError('row-damaged', 'Its checksum does not agree.');
}

function text(value: unknown): string {
  // A damaged type may make bytes of a text: those are no text, whatever they hold.
  return value instanceof Uint8Array ? 'bytes' : String(value satisfies unknown as Value);
}
