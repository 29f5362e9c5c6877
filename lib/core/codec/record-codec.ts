/**
 * The stored form of a process record, the same for every store. The fields of the pattern are
 * readable attributes; steps and history are compact JSON, with instants relative to the submission,
 * so that an order of three steps needs one write unit of DynamoDB (1 KB).
 *
 * Only this module knows the attribute names, and it validates everything that it reads.
 */
import * as z from 'zod';
import { CorruptDataError, NewerDataError } from '#core/model/errors.ts';
import { formatVersion, type UnknownAttributes } from '#core/model/extension.ts';
import { effects } from '#core/model/fault.ts';
import {
  lineName,
  orderId,
  schedulerId,
  stepName,
  workflowName,
  writeId,
} from '#core/model/ids.ts';
import { instant } from '#core/model/instant.ts';
import {
  directions,
  hasHeldStep,
  type OrderDeadline,
  type OrderDocument,
  type OrderFault,
  type OrderTurn,
  type ProcessRecord,
  priorities,
  processStates,
} from '#core/model/record.ts';
import { decodeHistory, encodeHistoryEntry } from './history/history-codec.ts';
import { jsonSchema } from './json-schema.ts';
import { decodeSteps, encodeStep } from './step-codec.ts';

/** The attributes of the stored item; instants are ms since the epoch. A newer release may have added others. */
export interface StoredRecord {
  /** See {@link formatVersion}; left out where it is 1. */
  readonly Format?: number;
  readonly OrderID: string;
  readonly Workflow: string;
  readonly WorkflowVersion: number;
  readonly Fingerprint: string;
  readonly ProcessState: string;
  readonly LockedBy: string | null;
  readonly CompleteBy: number | null;
  readonly FailureCount: number;
  readonly Direction: string;
  /** JSON, see step-codec.ts. */
  readonly Steps: string;
  /** JSON, or null. */
  readonly Fault: string | null;
  readonly Priority: string;
  readonly Tenant: string | null;
  readonly ReplyTo: string | null;
  readonly CorrelationID: string | null;
  readonly NotBefore: number;
  readonly Revision: number;
  readonly WriteID: string;
  /** JSON, see history-codec.ts. */
  readonly History: string;
  readonly SubmittedAt: number;
  readonly UpdatedAt: number;
  /** When the order is late; left out where it has no deadline. */
  readonly LateAt?: number;
  /** Left out where a late order waits for an operator. */
  readonly OnLate?: string;
  /** The line of the orders with its singleton key; left out where it has none, as the next three. */
  readonly Line?: string;
  /** The order that was the last of the line before it. */
  readonly Behind?: string;
  /** 1 where it replaces those before it. */
  readonly Replaces?: number;
  /** Where a later order may replace it: when the first one that it continues was submitted. */
  readonly Since?: number;
  /** The details of the order, JSON; left out where they are not stored with the record, as the next one. */
  readonly Details?: string;
  /** The digest of its submission. */
  readonly Digest?: string;
}

/** The texts of the parts of a stored record. */
export interface RecordTexts {
  readonly steps: readonly string[];
  readonly history: readonly string[];
}

/** A stored record. */
export interface EncodedRecord {
  readonly row: StoredRecord;
  readonly texts: RecordTexts;
}

/** A revision of the same order. `texts`: left out where they are not known. */
export interface EarlierRevision {
  readonly record: ProcessRecord;
  readonly texts?: RecordTexts;
}

/** The attributes to store, including those that a newer release added. */
export const encodeRecord = (record: ProcessRecord): StoredRecord => encodeAfter(record, null).row;

/** As {@link encodeRecord}. Takes over the texts of the parts that are those of an earlier revision. */
export function encodeAfter(record: ProcessRecord, earlier: EarlierRevision | null): EncodedRecord {
  const { steps, history, submittedAt } = record;
  const texts = {
    steps: textsOf(steps, earlier?.record.steps, earlier?.texts?.steps, (step) =>
      encodeStep(step, submittedAt),
    ),
    history: textsOf(history, earlier?.record.history, earlier?.texts?.history, (entry) =>
      encodeHistoryEntry(entry, submittedAt),
    ),
  };
  const common = encodeCommon(record, texts);
  const rare = encodeRare(record);
  // Most records need no spread, which costs more than all the attributes.
  return { row: rare === null ? common : { ...rare, ...common }, texts };
}

/** Parts are never changed, so those that are the same object have the same text. */
function textsOf<Part>(
  parts: readonly Part[],
  before: readonly Part[] = none,
  texts: readonly string[] = none,
  encode: (part: Part) => string,
): readonly string[] {
  return parts.map((part, at) => (before[at] === part ? texts[at] : undefined) ?? encode(part));
}

const none: readonly never[] = [];

/** The attributes that only some records have: optional ones, and those of a newer release. Null: none. */
export function encodeRare(record: ProcessRecord): RareAttributes | null {
  const { unknown, deadline, turn, document } = record;
  const format = formatOf(record);
  return unknown === undefined && format === 1 && deadline === undefined
    ? null
    : {
        ...unknown,
        ...(format > 1 && { Format: format }),
        ...(deadline && encodeDeadline(deadline)),
        ...(turn && encodeTurn(turn)),
        ...(document && encodeDocument(document)),
      };
}

/** The lowest version that says what the record holds, see {@link formatVersion}. */
function formatOf({ isHeld, steps, turn, document }: ProcessRecord): number {
  if (document !== undefined) return 5;
  if (turn !== undefined) return 4;
  for (const { undoFirst } of steps) if (undoFirst !== undefined) return 3;
  return isHeld ? 2 : 1;
}

type RareAttributes = Pick<
  StoredRecord,
  'Format' | 'LateAt' | 'OnLate' | 'Line' | 'Behind' | 'Replaces' | 'Since' | 'Details' | 'Digest'
>;

/** The attributes that every record has. */
function encodeCommon(record: ProcessRecord, { steps, history }: RecordTexts): StoredRecord {
  return {
    OrderID: record.orderId,
    Workflow: record.workflow,
    WorkflowVersion: record.workflowVersion,
    Fingerprint: record.fingerprint,
    ProcessState: record.processState,
    LockedBy: record.lockedBy,
    CompleteBy: record.completeBy,
    FailureCount: record.failureCount,
    Direction: record.direction,
    Steps: `[${steps.join(',')}]`,
    Fault: record.fault === null ? null : JSON.stringify(record.fault),
    Priority: record.priority,
    Tenant: record.tenant,
    ReplyTo: record.replyTo,
    CorrelationID: record.correlationId,
    NotBefore: record.notBefore,
    Revision: record.revision,
    WriteID: record.writeId,
    History: `[${history.join(',')}]`,
    SubmittedAt: record.submittedAt,
    UpdatedAt: record.updatedAt,
  };
}

function decodeDeadline({
  LateAt,
  OnLate,
}: z.infer<typeof storedSchema>): Pick<ProcessRecord, 'deadline'> {
  return LateAt === undefined ? {} : { deadline: { lateAt: LateAt, onLate: OnLate ?? 'hold' } };
}

function encodeDeadline({
  lateAt,
  onLate,
}: OrderDeadline): Pick<StoredRecord, 'LateAt' | 'OnLate'> {
  return { LateAt: lateAt, ...(onLate === 'undo' && { OnLate: onLate }) };
}

function decodeTurn({
  Line,
  Behind,
  Replaces,
  Since,
}: z.infer<typeof storedSchema>): Pick<ProcessRecord, 'turn'> {
  if (Line === undefined) return {};
  const behind = Behind === undefined ? {} : { behind: Behind };
  const since = Since === undefined ? {} : { since: Since };
  return { turn: { line: Line, ...behind, ...(Replaces === 1 && replacesMark), ...since } };
}

const replacesMark = { replaces: true } as const;

function encodeTurn({
  line,
  behind,
  replaces,
  since,
}: OrderTurn): Pick<StoredRecord, 'Line' | 'Behind' | 'Replaces' | 'Since'> {
  return {
    Line: line,
    ...(behind !== undefined && { Behind: behind }),
    ...(replaces === true && { Replaces: 1 }),
    ...(since !== undefined && { Since: since }),
  };
}

function decodeDocument({
  Details,
  Digest,
}: z.infer<typeof storedSchema>): Pick<ProcessRecord, 'document'> {
  if (Details === undefined || Digest === undefined) return {};
  return { document: { details: jsonSchema.parse(JSON.parse(Details)), digest: Digest } };
}

const encodeDocument = ({
  details,
  digest,
}: OrderDocument): Pick<StoredRecord, 'Details' | 'Digest'> => ({
  Details: JSON.stringify(details),
  Digest: digest,
});

const count = z.int().nonnegative();

const faultSchema: z.ZodType<OrderFault> = z.object({
  code: z.string(),
  message: z.string(),
  effect: z.enum(effects),
  step: z.string().transform(stepName).nullable(),
  action: z.enum(['perform', 'undo']).nullable(),
});

const storedAttributes = z.object({
  OrderID: z.string().transform(orderId),
  Workflow: z.string().transform(workflowName),
  WorkflowVersion: z.int().positive(),
  Fingerprint: z.string(),
  ProcessState: z.enum(processStates),
  LockedBy: z.string().transform(schedulerId).nullable(),
  CompleteBy: instant.nullable(),
  FailureCount: count,
  Direction: z.enum(directions),
  Steps: z.string(),
  Fault: z.string().nullable(),
  Priority: z.enum(priorities),
  Tenant: z.string().nullable(),
  ReplyTo: z.string().nullable(),
  // Orders stored before correlation ids existed have none.
  CorrelationID: z.string().nullable().default(null),
  NotBefore: instant,
  Revision: z.int().positive(),
  WriteID: z.string().transform(writeId),
  History: z.string(),
  SubmittedAt: instant,
  UpdatedAt: instant,
  LateAt: instant.optional(),
  OnLate: z.literal('undo').optional(),
  Line: z.string().transform(lineName).optional(),
  Behind: z.string().transform(orderId).optional(),
  Replaces: z.literal(1).optional(),
  Since: instant.optional(),
  Details: z.string().optional(),
  Digest: z.string().optional(),
});
const storedSchema = storedAttributes.refine(
  ({ LateAt, OnLate, Line, Behind, Replaces, Since, Details, Digest }) =>
    (OnLate === undefined || LateAt !== undefined) &&
    (Behind === undefined || Line !== undefined) &&
    (Replaces === undefined || Behind !== undefined) &&
    (Since === undefined || Line !== undefined) &&
    (Details === undefined) === (Digest === undefined),
);

/** Left out where it is 1. */
const formatSchema = z.object({ Format: z.int().positive().default(1) });
const flat = z.union([z.string(), z.number(), z.null()]);

/**
 * Decodes the attributes that `encodeRecord` returns. The argument must not contain attributes that only
 * the store uses: all unknown ones count as attributes of a newer release.
 *
 * @throws {CorruptDataError} `record-corrupt` when no release of Reeve wrote them
 * @throws {NewerDataError} `record-newer` when only a newer release can process the order
 */
export function decodeRecord(stored: unknown): ProcessRecord {
  const { Format = 1 } = formatSchema.safeParse(stored).data ?? {};
  if (Format > formatVersion) {
    throw new NewerDataError(
      'record-newer',
      `A process record has format ${Format}; this release of Reeve reads formats up to ${formatVersion}. The newer release that wrote it must process the order.`,
    );
  }
  try {
    const unknown = unknownIn(stored);
    const known = record(storedSchema.parse(stored));
    return unknown === null ? known : { ...known, unknown };
  } catch (error) {
    throw new CorruptDataError(
      'record-corrupt',
      'A stored process record cannot be read. Restore it from a backup, or remove it by hand.',
      { cause: error },
    );
  }
}

const knownNames = new Set(['Format', ...Object.keys(storedAttributes.shape)]);

/** Null when there are none, which is the normal case. */
function unknownIn(stored: unknown): UnknownAttributes | null {
  if (typeof stored !== 'object' || stored === null) return null;
  const others = Object.entries(stored).filter(([name]) => !knownNames.has(name));
  return others.length === 0 ? null : z.record(z.string(), flat).parse(Object.fromEntries(others));
}

const heldMark = { isHeld: true } as const;

function record(stored: z.infer<typeof storedSchema>): ProcessRecord {
  const fault = stored.Fault === null ? null : faultSchema.parse(JSON.parse(stored.Fault));
  const steps = decodeSteps(stored.Steps, stored.SubmittedAt);
  const common = {
    orderId: stored.OrderID,
    workflow: stored.Workflow,
    workflowVersion: stored.WorkflowVersion,
    fingerprint: stored.Fingerprint,
    failureCount: stored.FailureCount,
    direction: stored.Direction,
    steps,
    ...(hasHeldStep(steps) && heldMark),
    fault,
    priority: stored.Priority,
    tenant: stored.Tenant,
    replyTo: stored.ReplyTo,
    correlationId: stored.CorrelationID,
    notBefore: stored.NotBefore,
    revision: stored.Revision,
    writeId: stored.WriteID,
    history: decodeHistory(stored.History, stored.SubmittedAt),
    submittedAt: stored.SubmittedAt,
    updatedAt: stored.UpdatedAt,
    ...decodeDeadline(stored),
    ...decodeTurn(stored),
    ...decodeDocument(stored),
  };
  const { ProcessState: processState, CompleteBy: completeBy, LockedBy: lockedBy } = stored;
  if (processState === 'Processing') {
    if (lockedBy !== null && completeBy !== null) {
      return { ...common, processState, lockedBy, completeBy };
    }
  } else if (lockedBy === null) {
    if (processState === 'Pending') return { ...common, processState, lockedBy, completeBy };
    if (processState === 'Error') {
      if (fault !== null) return { ...common, processState, lockedBy, completeBy, fault };
    } else if (completeBy === null) return { ...common, processState, lockedBy, completeBy };
  }
  throw new CorruptDataError(
    'record-corrupt',
    `Order ${stored.OrderID} is ${processState} with lockedBy ${lockedBy} and completeBy ${completeBy}, which is impossible.`,
  );
}
