/**
 * Replies of agents for one order that arrive together are decided one after the other, for one write, as long as the
 * process state stays the same: each change of it has a write of its own (R18). Every other event has its own write.
 */
import type { Decision, Transition } from '#core/decide/decide.ts';
import type { OrderContext } from '#core/decide/start-step.ts';
import { isReply, type RecordEvent } from '#core/model/event.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { decideGated, type GatedDecision, type GatePorts } from './gated-decision.ts';
import type { EventFor } from './transitions.ts';

type Ignored = Extract<Decision, { kind: 'ignored' }>;

/** The decision of one event, which changes the record. */
export interface Decided {
  readonly before: ProcessRecord;
  readonly event: RecordEvent;
  readonly decision: Transition;
  /** How it was decided. */
  readonly gated: GatedDecision;
}

/** Decisions for one write. */
export interface DecidedTogether {
  readonly kind: 'together';
  /** Oldest first; the record of the last one is to be written. */
  readonly decisions: readonly [Decided, ...Decided[]];
  /** One per event that was decided; null: it changes the record. */
  readonly ignored: readonly (Ignored | null)[];
}

/** Decides the first event, and those after it that can have the same write. Only gates that read something give a promise. */
export function decideTogether(
  ports: GatePorts,
  record: ProcessRecord,
  events: readonly [EventFor, ...EventFor[]],
  known: OrderContext | null,
): Ignored | DecidedTogether | Promise<Ignored | DecidedTogether> {
  const [first] = events;
  const event = first.event(record, known);
  if (event === null) return { kind: 'ignored', reason: 'left-alone' };
  const gated = decideGated(ports, record, event, known);
  return gated instanceof Promise
    ? gated.then((late) => withOthers(ports, decidedOf(ports, record, event, late), events, known))
    : withOthers(ports, decidedOf(ports, record, event, gated), events, known);
}

function withOthers(
  ports: GatePorts,
  first: Ignored | Decided,
  events: readonly EventFor[],
  known: OrderContext | null,
): Ignored | DecidedTogether | Promise<DecidedTogether> {
  if (!('decision' in first)) return first;
  return events.length === 1
    ? { kind: 'together', decisions: [first], ignored: [null] }
    : addOthers(ports, first, events.slice(1), known);
}

async function addOthers(
  ports: GatePorts,
  first: Decided,
  others: readonly EventFor[],
  known: OrderContext | null,
): Promise<DecidedTogether> {
  const decisions: [Decided, ...Decided[]] = [first];
  const ignored: (Ignored | null)[] = [null];
  let last = first;
  for (const other of others) {
    const { record } = last.decision;
    const isSameState = record.processState === last.before.processState;
    if (!isReply(last.event) || !isSameState) break;
    let decided: Ignored | Decided;
    try {
      const event = other.event(record, known);
      if (event === null || !isReply(event)) break;
      const deciding = decideGated(ports, record, event, known);
      const gated = deciding instanceof Promise ? await deciding : deciding;
      decided = decidedOf(ports, record, event, gated);
    } catch {
      // It does not undo the events before it: it is decided again without them, and fails alone.
      break;
    }
    if (!('decision' in decided)) {
      ignored.push(decided);
      continue;
    }
    ignored.push(null);
    decisions.push(decided);
    last = decided;
  }
  return { kind: 'together', decisions, ignored };
}

/** An ignored event keeps no slots. */
function decidedOf(
  { gates }: GatePorts,
  before: ProcessRecord,
  event: RecordEvent,
  gated: GatedDecision,
): Ignored | Decided {
  const { decision } = gated;
  if (decision.kind === 'transition') return { before, event, decision, gated };
  gates?.release(gated.granted);
  return decision;
}
