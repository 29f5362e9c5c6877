/** Replays a history through `decide` (R15): the result must equal the stored record. */
import { decide } from '#core/decide/decide.ts';
import type { OrderContext } from '#core/decide/start-step.ts';
import { outputOf } from '#core/decide/step-context.ts';
import { submitted } from '#core/decide/submit.ts';
import { assertThat } from '#core/model/errors.ts';
import type { RecordEvent } from '#core/model/event.ts';
import type { HistoryEntry } from '#core/model/history.ts';
import type { Hold } from '#core/model/hold.ts';
import type { AgentName, StepName } from '#core/model/ids.ts';
import { findStep, type ProcessRecord } from '#core/model/record.ts';

/**
 * All revisions in the history, the stored one last. Nudges that are one entry are one revision here, with
 * the number of the last nudge.
 *
 * @throws {ReeveError} `assertion-failed` when an entry does not apply
 */
export function replay(record: ProcessRecord, known: OrderContext): readonly ProcessRecord[] {
  const [first, ...rest] = record.history;
  assertThat(first?.type === 'submit', 'a history begins with the submission');
  const { orderId, tenant, replyTo, correlationId, writeId, turn, document } = record;
  const changed = rest.find((entry) => entry.type === 'reprioritise');
  const priority = changed?.from ?? record.priority;
  const { by, notBefore } = first;
  const from = { orderId, priority, tenant, replyTo, correlationId };
  const event = {
    type: 'submit',
    by,
    ...from,
    ...(notBefore !== undefined && { notBefore }),
  } as const;
  const made = submitted(event, known.definition, first.at, writeId, turn).record;
  const created = document === undefined ? made : { ...made, document };
  return [created, ...replayed(created, record, rest, known)];
}

/**
 * The revisions of one write that has several decisions: those after `before`, `after` last.
 *
 * @throws {ReeveError} `assertion-failed` when the history of `after` is not that of `before` with one entry for each
 *   revision, or an entry does not apply
 */
export function replayWrite(
  before: ProcessRecord,
  after: ProcessRecord,
  known: OrderContext,
): readonly ProcessRecord[] {
  const added = after.history.slice(before.history.length);
  assertThat(
    added.length === after.revision - before.revision,
    `order ${after.orderId} has an entry for each revision from ${before.revision} to ${after.revision}`,
  );
  return [...replayed(before, after, added, known).slice(0, -1), after];
}

function replayed(
  from: ProcessRecord,
  stored: ProcessRecord,
  entries: readonly HistoryEntry[],
  known: OrderContext,
): readonly ProcessRecord[] {
  let last = from;
  return entries.map((entry) => {
    last = applied(last, stored, entry, known);
    return last;
  });
}

function applied(
  before: ProcessRecord,
  stored: ProcessRecord,
  entry: HistoryEntry,
  known: OrderContext,
): ProcessRecord {
  const definitionUnknown = 'definitionUnknown' in entry && entry.definitionUnknown;
  const decision = decide(
    before,
    eventOf(entry, before, stored),
    definitionUnknown ? null : withGates(known, entry, before),
    entry.at,
  );
  assertThat(
    decision.kind === 'transition',
    `order ${stored.orderId}: history entry ${entry.type} of revision ${before.revision + 1} does not apply`,
  );
  const repeated = repeatsOf(entry) - 1;
  if (repeated <= 0) return decision.record;
  // A clock that went back kept the hold before it apart, and an entry that was joined since is not as late as the last of them.
  const history = [...before.history, entry];
  return { ...decision.record, revision: decision.record.revision + repeated, history };
}

/** What the gates and the pools said then; without an entry of a step, its gate said nothing, or "now". */
function withGates(known: OrderContext, entry: HistoryEntry, before: ProcessRecord): OrderContext {
  if (!('definitionUnknown' in entry)) return known;
  const { holds = none, begun, agents = none } = entry;
  if (holds.length === 0 && begun === undefined && agents.length === 0) return known;
  const stillHeld = begun === undefined ? [] : heldStill(before, begun, entry.at);
  return {
    ...known,
    holds: new Map([...stillHeld, ...holds.map((hold) => [hold.step, hold] as const)]),
    agents: new Map(agents.map(({ step, agent }) => [step, agent])),
    undoneFirst: new Set(agents.flatMap(({ step, undoFirst }) => (undoFirst ? [step] : []))),
  };
}

/** Of the steps that were held, and had not to be asked again at this instant: what their gates said again. */
function heldStill(
  { steps }: ProcessRecord,
  begun: readonly StepName[],
  nowMs: number,
): readonly (readonly [StepName, Hold])[] {
  return steps.flatMap(({ name, progress }): [StepName, Hold][] => {
    if (progress.state !== 'Held' || progress.until <= nowMs || begun.includes(name)) return [];
    const { gate, until, queue } = progress;
    return [[name, { gate, until, ...(queue !== undefined && { queue }) }]];
  });
}

const none: readonly never[] = [];

function repeatsOf(entry: HistoryEntry): number {
  if (entry.type === 'held') return entry.times;
  return entry.type === 'expired' || entry.type === 'interrupted' ? entry.nudges : 0;
}

/** @param before the record that the entry applied to */
function eventOf(entry: HistoryEntry, before: ProcessRecord, stored: ProcessRecord): RecordEvent {
  switch (entry.type) {
    case 'submit':
      assertThat(false, 'an order is submitted once');
      break;
    case 'shortened':
      assertThat(false, 'a history that was shortened does not replay');
      break;
    case 'unknown':
      assertThat(false, 'an entry of a newer release does not replay');
      break;
    case 'claim':
    case 'held':
      return { type: 'claim', by: entry.by };
    case 'resume':
      return { type: 'resume', by: entry.by };
    case 'expired':
      return { type: 'expired' };
    case 'interrupted': {
      const { type, reason, notBefore, steps } = entry;
      return reason === 'restart'
        ? { type, reason, notBefore }
        : { type, reason, notBefore, steps };
    }
    case 'resubmit':
      return { type: 'resubmit', by: entry.by, corrections: entry.corrections };
    case 'cancel':
      return { type: 'cancel', by: entry.by };
    case 'reprioritise':
      return { type: 'reprioritise', by: entry.by, priority: entry.priority };
    case 'stepSucceeded': {
      // A step succeeds at most once (R5), and the record keeps its output, even after an undo.
      const progress = findStep(stored, entry.step)?.progress;
      const output = (progress && outputOf(progress)) ?? null;
      return { type: 'stepSucceeded', ...ofAttempt(entry, before), output };
    }
    case 'stepFailed':
    case 'undoFailed':
      return { type: entry.type, ...ofAttempt(entry, before), fault: entry.fault };
    case 'undoSucceeded':
    case 'heartbeat':
      return { type: entry.type, ...ofAttempt(entry, before) };
    case 'deferred': {
      const { type, gate, retryAfterMs } = entry;
      return { type, ...ofAttempt(entry, before), gate, retryAfterMs };
    }
  }
}

function ofAttempt(
  entry: { readonly step: StepName; readonly attempt: number },
  before: ProcessRecord,
): { step: StepName; attempt: number; agent: AgentName } {
  const agent = findStep(before, entry.step)?.agent;
  assertThat(agent !== undefined, `the history names a step of its order, not ${entry.step}`);
  return { step: entry.step, attempt: entry.attempt, agent };
}
