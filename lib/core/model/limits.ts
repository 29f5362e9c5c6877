/**
 * A limit on everything (TIGER_STYLE), in one place. Times are milliseconds. Relations between
 * limits are checked when the module is loaded.
 */
import { assertThat } from './errors.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KIB = 1_024;

export const limits = {
  /** Steps of one workflow: their records live in one item, and an item has 400 KB (DynamoDB). */
  stepsMax: 64,
  /** Shorter than this, the way there and back alone would make the step late. */
  completeWithinMinMs: 50,
  /** A queue message can be hidden for 12 hours at most (SQS), and an agent works on one. */
  completeWithinMaxMs: 12 * HOUR,
  maxDurationMaxMs: 7 * DAY,
  /** Bounds the heartbeats of one attempt: each must move complete-by by half its length. */
  heartbeatsPerAttemptMax: 200,
  retriesMax: 20,
  coolDownTimesMax: 20,
  coolDownMinMs: 100,
  coolDownMaxMs: 7 * DAY,
  /** A Pending order that nobody claimed for this long gets another nudge. */
  pickUpGraceMs: 10 * SECOND,
  /**
   * Claims beyond those that the steps' own policies can cause: for restarts and outages, which
   * are not the order's fault. An order that needs more is parked for a person (R14).
   */
  claimsSpare: 200,
  /**
   * Orders re-dispatched a second after a restart or an outage, so that agents are not flooded: of the
   * whole deployment, whose shards have equal parts of it.
   */
  recoveryRampPerSecond: 1_000,
  /** Outages of one shard that are remembered at once: more of them are joined, oldest first. */
  gapsMax: 8,
  /** The longest ramp: after it, everything left is dispatched at once. */
  recoveryRampMaxMs: 15 * MINUTE,
  /** An item with its attributes' names: what DynamoDB takes. */
  itemBytesMax: 400 * KIB,
  /** A process record as a store has it. No write goes over it: what is left of an item is for safety. */
  recordBytesMax: 392 * KIB,
  /** Over this no output is kept: the rest is for faults, the way back, and a person's cancel. */
  recordBytesToKeep: 352 * KIB,
  /** Over this no step starts: the rest is for the outputs of what runs. */
  recordBytesToStart: 304 * KIB,
  /**
   * A message: 256 KiB is what every SQS takes (AWS takes 1 MiB since August 2025, emulators and older
   * queues do not), less what the reason takes when the message is parked.
   */
  messageBytesMax: 254 * KIB,
  /** Asking for a perform. Its undo is asked with the step's output beside the same input. */
  requestBytesMax: 246 * KIB,
  /** A body, so that it fits a message. */
  bodyBytesMax: 128 * KIB,
  /** The details of an order as JSON, corrections applied: any step's input may hold all of them. */
  detailsBytesMax: 128 * KIB,
  /** Deeper nesting than any document needs; every walk over one is recursive. */
  jsonDepthMax: 64,
  /** What one step may hand to later steps: all of them live in the process record. */
  outputBytesMax: 8 * KIB,
  /** A workflow whose steps could hand on no more than this by default is refused. */
  outputBytesMin: 512,
  faultMessageMax: 300,
  faultCodeLengthMax: 100,
  /** A dotted path into the details. */
  fieldLengthMax: 200,
  /** All corrections of one order together: they live in its history, and so in the process record. */
  correctionsBytesMax: 16 * KIB,
  tenantLengthMax: 64,
  /** Of a principal's name: it is in the history, and a record of three steps that goes well stays under 1 KB. */
  principalLengthMax: 64,
  correlationIdLengthMax: 128,
  submissionKeyLengthMax: 128,
  listMax: 200,
  /** A listing over 32 shards says of each where it stands; servers take 8 KB of a request's line and more. */
  cursorLengthMax: 4_000,
  /** The farthest instant from the epoch that has a date (ECMAScript, Time Values). */
  instantMaxMs: 8_640_000_000_000_000,
  sweepPage: 200,
  conflictRetriesMax: 20,
  /**
   * Receives after which a queue gives a message up. With the waits between them (`redeliverAfterMs`) that
   * takes 975 s at least: a store that is away for a quarter of an hour makes no dead letter of a message
   * that can be worked on.
   */
  receivesMax: 100,
} as const;

assertThat(
  limits.maxDurationMaxMs >= limits.completeWithinMaxMs,
  'a step may last at least as long as its first deadline allows',
);
assertThat(
  limits.recordBytesMax < limits.itemBytesMax &&
    limits.recordBytesToKeep < limits.recordBytesMax &&
    limits.recordBytesToStart < limits.recordBytesToKeep,
  'a record leaves room for what must still be possible when it is full',
);
assertThat(
  limits.recordBytesToKeep - limits.recordBytesToStart >= 4 * limits.outputBytesMax,
  'the largest outputs of several steps that run are kept when no more may start',
);
assertThat(
  limits.requestBytesMax + limits.outputBytesMax <= limits.messageBytesMax,
  'what is asked for a perform can be asked again, with its output, for the undo',
);
assertThat(
  limits.detailsBytesMax >= limits.bodyBytesMax && limits.detailsBytesMax < limits.requestBytesMax,
  'the details of an order fit the request of a step',
);
assertThat(
  limits.detailsBytesMax + limits.stepsMax * limits.outputBytesMin < limits.requestBytesMax,
  'a step may come after all others',
);
