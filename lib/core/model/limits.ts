/**
 * Limits of everything that could grow without one. The relations between them are checked
 * when the module is loaded.
 */
import { assertThat } from './errors.ts';

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const KIB = 1_024;

/** `Ms` in a name means milliseconds, `Bytes` bytes, `Length` characters; the others are counts. */
export const limits = {
  /** Steps of one workflow: their records are in one item, and an item has 400 KB (DynamoDB). */
  stepsMax: 64,
  /** The round trip of the messages alone takes about as long. */
  completeWithinMinMs: 50,
  /** The maximum visibility timeout of a message (SQS), which an agent needs while it works on one. */
  completeWithinMaxMs: 12 * hourMs,
  /** The maximum of `maxDuration`: of one attempt, with all its heartbeats. It is also at most 100 times `completeWithin`. */
  maxDurationMaxMs: 7 * dayMs,
  /** Limits `maxDuration` to 100 times `completeWithin`: an agent sends at most one heartbeat per half of it. */
  heartbeatsPerAttemptMax: 200,
  /** How long a step is held for its agent, unless its policy says otherwise: then it counts as a failed round (R23). */
  holdMaxMs: dayMs,
  /** The minimum of `holdMax` of a step. */
  holdMaxMinMs: secondMs,
  /** The maximum of `holdMax` of a step. */
  holdMaxMaxMs: 7 * dayMs,
  /** How long an order waits for earlier ones of its singleton key; then it counts as a failed round of its first steps. */
  turnMaxMs: 7 * dayMs,
  /** The orders of one singleton key that have not ended. More are refused: their line is one item, and written as a whole. */
  lineMax: 1_000,
  /** The minimum of `quiet` of a singleton: shorter than the round trip of the messages, it would join no orders. */
  quietMinMs: 100,
  /** The maximum of `quiet` and of `atMost` of a singleton. */
  atMostMaxMs: 7 * dayMs,
  /** The maximum of `rate.count`, and of `atOnce`, of a limit. */
  limitCallsMax: 10_000,
  /**
   * Operators may let a limit have so many times as many calls at once as its definition: on AWS each of its items then has so
   * many times as many holders, and costs as many write units.
   */
  limitRaiseMax: 10,
  /** The limits of one agent, or of one pool. */
  agentLimitsMax: 8,
  /** The name of the item of a limit and key, in a message. */
  slotNameLengthMax: 256,
  /** The name of the one who has room in a limit, in a message. */
  holderNameLengthMax: 32,
  /** The minimum of `rate.per` of a limit. */
  limitPerMinMs: secondMs,
  /** The maximum of `rate.per` of a limit. */
  limitPerMaxMs: dayMs,
  /** A gate that holds a step is asked again at least so often. */
  holdLookMaxMs: 15 * minuteMs,
  /**
   * Where a gate is asked again later than this after its time, the delay is one of Reeve or its platform, and no part of the hold. Three
   * periods of the sweeps on AWS, as for an outage.
   */
  holdLateMaxMs: 3 * minuteMs,
  /** The longest delay of a message (SQS, standard queues). */
  messageDelayMaxMs: 15 * minuteMs,
  /** Retries of a step per round. */
  retriesMax: 20,
  /** Cool-downs of a step, each followed by another round. */
  coolDownTimesMax: 20,
  /** The length of one cool-down. */
  coolDownMinMs: 100,
  /** The length of one cool-down. */
  coolDownMaxMs: 7 * dayMs,
  /** How many times as long as the one before a cool-down may be. */
  coolDownFactorMax: 10,
  /** The first cool-down of an undo whose step states no policy for it. */
  undoCoolDownMs: 10 * secondMs,
  /** How many times as long as the one before each further cool-down of such an undo is. */
  undoCoolDownFactor: 2,
  /** The longest cool-down of such an undo: how late the undo is after the service has returned. */
  undoCoolDownMaxMs: 15 * minuteMs,
  /** The cool-downs of such an undo: 10 s, 20 s, … 640 s, then 95 of 15 minutes, 24 h 6 min in all. */
  undoCoolDownTimes: 102,
  /** The maximum of `undo.coolDown.times` of a step. */
  undoCoolDownTimesMax: 200,
  /** Retries per round of such an undo, or fewer if its step has fewer: waiting helps more than repeating. */
  undoRetries: 1,
  /** The minimum of `completeWithin` of a workflow: embedded, sweeps that find late orders run every second. */
  orderWithinMinMs: secondMs,
  /** The maximum of `completeWithin` of a workflow. */
  orderWithinMaxMs: 30 * dayMs,
  /** A Pending order that stays unclaimed for this long gets another nudge. */
  pickUpGraceMs: 10 * secondMs,
  /** The orders that wait in one process to be begun. More are refused, so that the memory has a bound. */
  backlogOrdersMax: 100_000,
  /** The minimum of the bound of the backlog: a shorter wait is not yet an overload. */
  backlogMaxMinMs: secondMs,
  /** The maximum of the bound of the backlog. */
  backlogMaxMaxMs: dayMs,
  /** The minimum of `sweepPeriodMs` of `startLocalReeve`: shorter, sweeps would take time from orders and find no more. */
  sweepPeriodMinMs: 10,
  /** The maximum of `sweepPeriodMs` of `startLocalReeve`: what is overdue may wait for so long. */
  sweepPeriodMaxMs: hourMs,
  /** The maximum of `keepEndedMs` of `startLocalReeve`, which may be 0, and of `REEVE_KEEP_DAYS`. */
  keepEndedMaxMs: 3_650 * dayMs,
  /**
   * Claims beyond those that the step policies can cause, for restarts and outages. An order that needs
   * more is parked for an operator (R14).
   */
  claimsSpare: 200,
  /**
   * Orders dispatched per second after a restart or an outage, which protects agents from overload. The
   * shards of a deployment have equal parts of it.
   */
  recoveryRampPerSecond: 1_000,
  /** Outages that are remembered per shard; beyond this, the oldest are merged. */
  gapsMax: 8,
  /** The longest ramp; orders beyond it are dispatched together at its end. */
  recoveryRampMaxMs: 15 * minuteMs,
  /** An item with its attribute names (DynamoDB). */
  itemBytesMax: 400 * KIB,
  /** A stored process record. The rest of the item is a safety margin. */
  recordBytesMax: 392 * KIB,
  /** In a larger record no output is stored: the rest is for faults, the undo, and a cancel. */
  recordBytesToKeep: 352 * KIB,
  /** With a larger record no step starts: the rest is for the outputs of running steps. */
  recordBytesToStart: 304 * KIB,
  /**
   * A message: 256 KiB, which every SQS accepts (AWS accepts 1 MiB since August 2025, emulators and older
   * queues do not), without the reason that is added when the message is parked.
   */
  messageBytesMax: 254 * KIB,
  /** A request to perform, without its slots. The request to undo contains the output of the step in addition. */
  requestBytesMax: 240 * KIB,
  /** What a request has of the limits of its agent and of its pool. They are asked after the request was found small enough. */
  slotsBytesMax: 6 * KIB,
  /** A request body, which must fit a message. */
  bodyBytesMax: 128 * KIB,
  /** Orders in one bulk submission: embedded, all of them are written by one group commit. */
  batchOrdersMax: 100,
  /** The body of a bulk submission. Escaped or as base64, it fits the event of a function (6 MB, AWS Lambda). */
  batchBytesMax: 1_024 * KIB,
  /**
   * Orders of a bulk submission that have not begun after this time are answered with `unavailable`: those that have begun must
   * end, when the store hardly answers, before the front door times out.
   */
  batchBeginMs: 5 * secondMs,
  /** The details of an order as JSON, corrections applied: the input of a step may contain all of them. */
  detailsBytesMax: 128 * KIB,
  /** More levels than documents need; functions over documents are recursive. */
  jsonDepthMax: 64,
  /** The output of one step. The process record contains the outputs of all steps. */
  outputBytesMax: 8 * KIB,
  /** A workflow in which the default maximum of a step would be smaller is refused. */
  outputBytesMin: 512,
  /** Longer messages of agents are cut. */
  faultMessageLengthMax: 300,
  /** Longer codes of agents are cut. */
  faultCodeLengthMax: 100,
  /** A dotted path into the details. */
  fieldLengthMax: 200,
  /** All corrections of one order together: the history in the process record contains them. */
  correctionsBytesMax: 16 * KIB,
  /** The name of a tenant. */
  tenantLengthMax: 64,
  /** The least weight of a tenant: a hundredth of the share of a tenant without a weight of its own. */
  tenantWeightMin: 0.01,
  /** The largest weight of a tenant. While it has work, a tenant of the least weight waits for 10,000 of its calls. */
  tenantWeightMax: 100,
  /** Names of principals are in the history, and a successful order of three steps must stay below 1 KB. */
  principalLengthMax: 64,
  /** The correlation id that a submitter may give an order. */
  correlationIdLengthMax: 128,
  /** The `Idempotency-Key` of a submission. */
  submissionKeyLengthMax: 128,
  /** Orders on one page of a listing. */
  listMax: 200,
  /** A cursor is one position in a listing: some hundred characters at most. */
  cursorLengthMax: 1_024,
  /** The largest distance of a `Date` from the epoch (ECMAScript, Time Values). */
  instantMaxMs: 8_640_000_000_000_000,
  /** Orders per shard for which a sweep that looks ahead sends messages; the rest is left to the next sweep. */
  lookAheadMax: 1_000,
  /** Live orders that a start reads at once. A long page blocks nothing, because no other work has started yet. */
  startPage: 10_000,
  /** Undelivered notifications that are read at once: 4 ms, in which nothing else runs. */
  changesPage: 200,
  /** Overdue orders that a sweep reads at once. */
  sweepPage: 200,
  /** Decisions on one event while other writers change the order; then the event fails as `contention`. */
  conflictRetriesMax: 20,
  /**
   * Receives after which a queue moves a message to its dead-letter queue. With the waits between them
   * (`redeliverAfterMs`) that takes at least 975 s, so that an outage of the store of a quarter of an hour
   * produces no dead letters.
   */
  receivesMax: 100,
} as const;

assertThat(
  limits.holdLookMaxMs <= limits.messageDelayMaxMs,
  'a delayed message can end every hold',
);
assertThat(
  limits.atMostMaxMs <= limits.coolDownMaxMs,
  'an order that waits for later ones of its key is due no later than a correct clock writes',
);
assertThat(
  limits.maxDurationMaxMs >= limits.completeWithinMaxMs,
  'the maximum duration of an attempt includes its first deadline',
);
assertThat(
  limits.recordBytesMax < limits.itemBytesMax &&
    limits.recordBytesToKeep < limits.recordBytesMax &&
    limits.recordBytesToStart < limits.recordBytesToKeep,
  'a full record has room for faults, the undo and a cancel',
);
assertThat(
  limits.recordBytesToKeep - limits.recordBytesToStart >= 4 * limits.outputBytesMax,
  'when no more steps may start, there is room for four outputs of running steps',
);
assertThat(
  limits.requestBytesMax + limits.outputBytesMax + limits.slotsBytesMax <= limits.messageBytesMax,
  'the request to undo fits a message when the request to perform does, also where its agent has limits',
);
assertThat(
  limits.detailsBytesMax >= limits.bodyBytesMax && limits.detailsBytesMax < limits.requestBytesMax,
  'the details of an order fit the request of a step',
);
assertThat(
  limits.batchBytesMax >= limits.bodyBytesMax,
  'every order that can be submitted by itself fits a bulk submission',
);
assertThat(
  limits.detailsBytesMax + limits.stepsMax * limits.outputBytesMin < limits.requestBytesMax,
  'the outputs of all other steps fit the request of a step',
);
