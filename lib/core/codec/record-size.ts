/**
 * The size of a stored process record. The limits of DynamoDB, which include the names of attributes,
 * apply to embedded stores as well.
 */

import type { Fault } from '#core/model/fault.ts';
import type { HistoryEntry } from '#core/model/history.ts';
import { limits } from '#core/model/limits.ts';
import type { ProcessRecord, StepProgress } from '#core/model/record.ts';
import { jsonBytesAtMost, quotedBytesAtMost, textBytes } from './json-size.ts';
import { encodeRecord } from './record-codec.ts';

/** The largest number (DynamoDB, item sizes). */
const numberBytes = 21;
/** DueShard, DueAt, Attention and ExpiresAt, which only the DynamoDB store adds. */
const indexBytes = 120;
/** The longest write id, because the decision about an order must not depend on the id of the write. */
const writeIdBytes = 64;

/** The exact size, except that numbers and the write id count with their maximum length. */
export function recordBytes(record: ProcessRecord): number {
  let bytes = indexBytes + writeIdBytes;
  for (const [name, value] of Object.entries(encodeRecord(record))) {
    bytes += name.length;
    if (typeof value === 'number') bytes += numberBytes;
    else if (value === null) bytes += 1;
    else if (name !== 'WriteID') bytes += textBytes(value);
  }
  return bytes;
}

/** Whether the record has at most `bytesMax` bytes. Only large records are encoded for this. */
export function isRecordWithin(record: ProcessRecord, bytesMax: number): boolean {
  return recordBytesAtMost(record) <= bytesMax || recordBytes(record) <= bytesMax;
}

/** All attributes except steps, history and fault, with ids of maximum length. */
const headBytesMax = 2_048;
/** The policy, counts and instants of a step. */
const stepBytesMax = 400;
/** A history entry without its texts. */
const entryBytesMax = 64;
const nameBytesMax = 43;
/** The line of an order with a singleton key, the order before it, and since when it waits for later ones. */
const turnBytesMax = 180;

function recordBytesAtMost(record: ProcessRecord): number {
  const { steps, history, fault, tenant, replyTo, correlationId, turn, document } = record;
  let bytes = headBytesMax + faultBytesAtMost(fault);
  if (turn !== undefined) bytes += turnBytesMax;
  if (document !== undefined) {
    bytes += quotedBytesAtMost(document.digest);
    bytes += jsonBytesAtMost(document.details, limits.recordBytesMax);
  }
  for (const text of [tenant, replyTo, correlationId]) bytes += quotedBytesAtMost(text ?? '');
  for (const { name, agent, progress, undoFirst } of steps) {
    if (undoFirst !== undefined) bytes += undoFirstBytesMax;
    bytes += stepBytesMax + name.length + agent.length + progressBytesAtMost(progress);
  }
  for (const entry of history) bytes += entryBytesAtMost(entry);
  return bytes;
}

function progressBytesAtMost(progress: StepProgress): number {
  switch (progress.state) {
    case 'NotStarted':
    case 'Skipped':
    case 'Running':
      return 0;
    case 'Completed':
      return jsonBytesAtMost(progress.output, limits.recordBytesMax);
    case 'Failed':
      return faultBytesAtMost(progress.fault);
    case 'Held':
    case 'Undoing':
    case 'Undone':
      return progressBytesAtMost(progress.before);
  }
}

function entryBytesAtMost(entry: HistoryEntry): number {
  switch (entry.type) {
    case 'submit':
    case 'shortened':
      return entryBytesMax;
    case 'cancel':
    case 'reprioritise':
      return entryBytesMax + quotedBytesAtMost(entry.by);
    case 'claim':
    case 'resume':
    case 'held':
      return entryBytesMax + quotedBytesAtMost(entry.by) + gatedBytesAtMost(entry);
    case 'stepSucceeded':
    case 'undoSucceeded':
    case 'heartbeat':
    case 'deferred':
      return entryBytesMax + nameBytesMax + gatedBytesAtMost(entry);
    case 'stepFailed':
    case 'undoFailed':
      return entryBytesMax + nameBytesMax + faultBytesAtMost(entry.fault) + gatedBytesAtMost(entry);
    case 'expired':
    case 'interrupted':
      return entryBytesMax + nameBytesMax * entry.steps.length;
    case 'unknown':
      return jsonBytesAtMost(entry.stored, limits.recordBytesMax);
    case 'resubmit': {
      const corrections = jsonBytesAtMost(entry.corrections, limits.recordBytesMax);
      return entryBytesMax + quotedBytesAtMost(entry.by) + corrections;
    }
  }
}

/** A hold without the name of its step, with its queue. */
const holdBytesMax = 84;
/** Two names, and the mark of an undo that begins. */
const choiceBytesMax = 2 * (nameBytesMax + 1) + 2;
/** The failures of a step that was undone first. */
const undoFirstBytesMax = 16;

/** The holds of an entry, the held steps that began, and the members of pools that it names. */
const gatedBytesAtMost = ({ holds = none, begun = none, agents = none }: Gated): number =>
  holds.length * (nameBytesMax + holdBytesMax) +
  begun.length * (nameBytesMax + 1) +
  agents.length * choiceBytesMax;

type Gated = Pick<Extract<HistoryEntry, { type: 'held' }>, 'holds' | 'begun' | 'agents'>;
const none: readonly never[] = [];

const faultFixedBytes = 150;

function faultBytesAtMost(fault: Fault | null): number {
  if (fault === null) return 0;
  const { code, message } = fault;
  return faultFixedBytes + quotedBytesAtMost(code) + quotedBytesAtMost(message);
}
