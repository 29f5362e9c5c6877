/**
 * Load, decide, write conditionally, send: the way every role changes an order (docs/design.md, "One function
 * decides"). Commands leave only after their write is durable (R13). A write whose answer was lost is repeated with
 * the same write id (R12). After a conflict, the event is decided again on the record that won.
 */

import { checkAfter } from '#core/decide/checks/deadline-check.ts';
import { type Decision, decide, decideShortened, type Transition } from '#core/decide/decide.ts';
import { unlessStillHeld, waitsForGates } from '#core/decide/settle-holds.ts';
import type { OrderContext } from '#core/decide/start-step.ts';
import type { WorkflowRegistry } from '#core/definition/registry.ts';
import type { BackOff } from '#core/model/back-off.ts';
import {
  ReeveError,
  RefusedError,
  UnavailableError,
  UnreadableDataError,
} from '#core/model/errors.ts';
import type { RecordEvent } from '#core/model/event.ts';
import type { Hold } from '#core/model/hold.ts';
import type { OrderId, StepName } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Command, DeadlineCheck, Request } from '#core/model/message.ts';
import type { Order, ProcessRecord } from '#core/model/record.ts';
import type { Channel, Channels } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';
import type { GateAnswers, Gates } from '#ports/gates.ts';
import type { Log } from '#ports/log.ts';
import type { Ids, Random } from '#ports/random.ts';
import type { StateStore } from '#ports/state-store.ts';
import { backOffMs, pause } from './delays.ts';
import { heldReport } from './recovery/held-report.ts';
import { sendCommands } from './send-commands.ts';

/** The ports of {@link transitions}. */
export interface TransitionPorts {
  readonly store: StateStore;
  readonly channels: Channels;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly log: Log;
  readonly registry: WorkflowRegistry;
  /** Default: every call may be sent at once. */
  readonly gates?: Gates;
  /** Where the Supervisor is asked to look at deadlines. Default: nowhere, so that its sweeps find them. */
  readonly checks?: Channel<DeadlineCheck>;
}

/** An event for an order; it may depend on the record that it is applied to. */
export interface EventFor {
  readonly orderId: OrderId;
  /** @param known null when the workflow of the order is unknown here, or `reads` is `record` */
  readonly event: (record: ProcessRecord, known: OrderContext | null) => RecordEvent;
  /** What the event needs. Default `all`; `record` loads no details, which is half of the reads. */
  readonly reads?: 'all' | 'record';
}

/** The result of one event. */
export type Outcome =
  | { readonly kind: 'committed'; readonly record: ProcessRecord }
  | (Extract<Decision, { kind: 'ignored' }> & { readonly record: ProcessRecord })
  | { readonly kind: 'unknown-order' }
  /** The event may not have been applied: deliver its message again. */
  | { readonly kind: 'failed'; readonly error: unknown };

/** Applies events to orders. */
export interface Transitions {
  /** Applies a batch, the events of each order in sequence; returns one outcome per event, in the same order. */
  apply(batch: readonly EventFor[]): Promise<readonly Outcome[]>;
}

/** What the writes of a batch require. */
interface ToSend {
  readonly commands: Command[];
  readonly checks: DeadlineCheck[];
}

interface Loaded {
  readonly records: ReadonlyMap<OrderId, ProcessRecord>;
  readonly orders: ReadonlyMap<OrderId, Order>;
}

/** Between retries after a conflict; a store answers in 5 to 10 ms. */
const conflictBackOff: BackOff = { firstMs: 5, maxMs: 200 };

/** Makes {@link Transitions}. */
export function transitions(ports: TransitionPorts): Transitions {
  const reportHeld = heldReport(ports);
  return {
    async apply(batch) {
      const outcomes: Outcome[] = [];
      const commands: Command[] = [];
      const checks: DeadlineCheck[] = [];
      const loaded = await loadBatch(ports.store, batch);
      await Promise.all(
        byOrder(batch).map(async (indexed) => {
          let record: ProcessRecord | undefined;
          for (const [at, eventFor] of indexed) {
            const outcome = await applyOne(ports, eventFor, record, loaded, { commands, checks });
            outcomes[at] = outcome;
            if (outcome.kind === 'committed') reportHeld(outcome.record);
            record = 'record' in outcome ? outcome.record : undefined;
          }
        }),
      );
      await sendCommands(ports, commands, checks);
      return outcomes;
    },
  };
}

/** Null when one of the orders is unreadable: each is then loaded separately, to find out which. */
async function loadBatch(store: StateStore, batch: readonly EventFor[]): Promise<Loaded | null> {
  try {
    return await load(store, batch);
  } catch (error) {
    if (error instanceof UnreadableDataError) return null;
    throw error;
  }
}

async function load(store: StateStore, batch: readonly EventFor[]): Promise<Loaded> {
  const ids = idsOf(batch);
  const withDetails = batch.some(isRecordOnly)
    ? idsOf(batch.filter((each) => !isRecordOnly(each)))
    : ids;
  const [records, orders] = await Promise.all([
    store.records(ids),
    withDetails.length === 0 ? new Map<OrderId, Order>() : store.orders(withDetails),
  ]);
  return { records, orders };
}

const isRecordOnly = ({ reads }: EventFor) => reads === 'record';

const idsOf = (batch: readonly EventFor[]): readonly OrderId[] => [
  ...new Set(batch.map(({ orderId }) => orderId)),
];

function byOrder(batch: readonly EventFor[]): [number, EventFor][][] {
  const groups = new Map<OrderId, [number, EventFor][]>();
  for (const [at, eventFor] of batch.entries()) {
    const group = groups.get(eventFor.orderId);
    if (group === undefined) groups.set(eventFor.orderId, [[at, eventFor]]);
    else group.push([at, eventFor]);
  }
  return [...groups.values()];
}

async function applyOne(
  ports: TransitionPorts,
  eventFor: EventFor,
  latest: ProcessRecord | undefined,
  batch: Loaded | null,
  { commands, checks }: ToSend,
): Promise<Outcome> {
  try {
    const { records, orders } = batch ?? (await load(ports.store, [eventFor]));
    let record = latest ?? records.get(eventFor.orderId);
    for (let tries = 0; tries <= limits.conflictRetriesMax; tries += 1) {
      if (record === undefined) return { kind: 'unknown-order' };
      const before = record;
      const known = orderContextOf(ports.registry, before, orders);
      const event = eventFor.event(before, known);
      const deciding = decideGated(ports, before, event, known);
      // Every event of an embedded Reeve passes here: only gates that must read something cost a turn.
      const gated = deciding instanceof Promise ? await deciding : deciding;
      const { decision } = gated;
      if (decision.kind === 'ignored') {
        ports.gates?.release(gated.granted);
        return { ...decision, record };
      }
      const written = await writeGated(ports, gated, decision, () =>
        // At the same instant, because the granted requests have the deadlines of that decision.
        withGranted(decideShortened(before, event, gated.known, gated.nowMs), gated.granted),
      );
      if (written.kind === 'ignored') return { ...written, record };
      if (written.kind === 'committed') {
        commands.push(...worthSending(ports, written));
        const check = ports.checks === undefined ? null : checkAfter(before, written.record);
        if (check !== null) checks.push(check);
        return { kind: 'committed', record: written.record };
      }
      await pause(ports.clock, backOffMs(conflictBackOff, tries + 1, ports.random));
      record = (await ports.store.records([eventFor.orderId])).get(eventFor.orderId);
    }
    throw new ReeveError(
      'contention',
      `Order ${eventFor.orderId} changed ${limits.conflictRetriesMax} times during one event. The event will be retried.`,
    );
  } catch (error) {
    return { kind: 'failed', error };
  }
}

/** All commands, without the delayed nudge of an order that the gates nudge themselves. */
function worthSending(
  { gates }: TransitionPorts,
  { record, commands }: Pick<Transition, 'record' | 'commands'>,
): readonly Command[] {
  if (gates?.nudgeHeld !== true || record.isHeld === undefined) return commands;
  return waitsForGates(record)
    ? commands.filter((command) => command.kind !== 'nudge' || command.nudge.at === undefined)
    : commands;
}

interface GatedDecision {
  readonly decision: Decision;
  /** The instant of the decision, ms since the epoch. */
  readonly nowMs: number;
  /** With what the gates said. */
  readonly known: OrderContext | null;
  /** The requests that have slots of their agents. */
  readonly granted: readonly Request[];
  /** A gate holds a step: then not all of them may be sent, because the end of a long hold stops the others. */
  readonly isHeld?: true;
}

/**
 * Decides twice where a gate holds a call: the first decision says which requests it would send. Gates that let all of
 * them start now change nothing.
 */
function decideGated(
  { gates, clock }: TransitionPorts,
  record: ProcessRecord,
  event: RecordEvent,
  known: OrderContext | null,
): GatedDecision | Promise<GatedDecision> {
  const nowMs = clock.now();
  const decision = decide(record, event, known, nowMs);
  if (gates === undefined || known === null || decision.kind === 'ignored') {
    return { decision, nowMs, known, granted: none };
  }
  const requests = requestsOf(decision.commands);
  if (requests.length === 0) return { decision, nowMs, known, granted: none };
  const learns = gates.nudgeHeld === true;
  const asked = { decision, nowMs, known, granted: requests, learns };
  const answers = gates.ask(requests);
  return answers instanceof Promise
    ? answers.then((late) => decidedLater(record, event, asked, late, clock.now()))
    : decidedAgain(record, event, asked, answers);
}

/** A decision before its gates were asked. `granted`: all of its requests. */
interface AskedDecision extends GatedDecision {
  readonly known: OrderContext;
  /** The gates learn from the written records which steps wait: then a hold is written even where nothing else changed. */
  readonly learns: boolean;
}

function decidedAgain(
  record: ProcessRecord,
  event: RecordEvent,
  asked: AskedDecision,
  answers: GateAnswers,
): GatedDecision {
  const { nowMs, known, granted: requests, learns } = asked;
  if (answers.every((hold) => hold === null)) return asked;
  const granted = requests.filter((_, at) => answers[at] === null);
  const byStep = requests.flatMap(({ step }, at): [StepName, Hold][] => {
    const hold = answers[at] ?? null;
    return hold === null ? [] : [[step, hold]];
  });
  const gated = { ...known, holds: new Map(byStep) };
  const again = decide(record, event, gated, nowMs);
  const worthWriting = learns ? again : unlessStillHeld(record, again, nowMs);
  return {
    decision: withGranted(worthWriting, granted),
    nowMs,
    known: gated,
    granted,
    isHeld: true,
  };
}

/** What was read took time, which is not charged to the deadlines of the steps. */
function decidedLater(
  record: ProcessRecord,
  event: RecordEvent,
  asked: AskedDecision,
  answers: GateAnswers,
  nowMs: number,
): GatedDecision {
  const decision = decide(record, event, asked.known, nowMs);
  const steps = decision.kind === 'ignored' ? none : requestsOf(decision.commands);
  return decidedAgain(
    record,
    event,
    { ...asked, decision, nowMs, granted: steps },
    steps.map(({ step }) => {
      const at = asked.granted.findIndex((request) => request.step === step);
      return answers[at] ?? null;
    }),
  );
}

/** The gates know the granted requests of the first decision, so these are sent instead of their equals of a later one. */
function withGranted(decision: Decision, granted: readonly Request[]): Decision {
  if (decision.kind === 'ignored') return decision;
  const commands = decision.commands.map((command): Command => {
    if (command.kind !== 'request') return command;
    const request = granted.find(({ step }) => step === command.request.step);
    return request === undefined ? command : { kind: 'request', request };
  });
  return { ...decision, commands };
}

const none: readonly Request[] = [];

function requestsOf(commands: readonly Command[]): readonly Request[] {
  const requests: Request[] = [];
  for (const command of commands) if (command.kind === 'request') requests.push(command.request);
  return requests;
}

/** Gives back the slots of requests that are not sent. */
async function writeGated(
  ports: TransitionPorts,
  { granted, isHeld }: GatedDecision,
  decision: Transition,
  inShort: () => Decision,
): Promise<Written> {
  let commands: readonly Command[] = [];
  try {
    const written = await write(ports, decision, inShort);
    if (written.kind === 'committed') commands = written.commands;
    return written;
  } finally {
    // A record in its shortest form may send fewer requests than were granted.
    if (granted.length > 0 && (isHeld === true || commands !== decision.commands)) {
      const sent = new Set(requestsOf(commands));
      ports.gates?.release(granted.filter((request) => !sent.has(request)));
    }
  }
}

type Written =
  | { readonly kind: 'conflict' }
  | Extract<Decision, { kind: 'ignored' }>
  | (Omit<Transition, 'kind'> & { readonly kind: 'committed' });

/**
 * A record that the store refuses for good is written in its shortest form: so the order stops with a reason, or
 * continues to be undone, instead of failing at each sweep.
 */
async function write(
  ports: TransitionPorts,
  transition: Transition,
  inShort: () => Decision,
): Promise<Written> {
  try {
    return await committed(ports, transition);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const short = inShort();
    const { orderId } = transition.record;
    ports.log.warn('order-refused', { orderId, code: error.code });
    return short.kind === 'ignored' ? short : unlessUnwritable(ports, orderId, short);
  }
}

/** Repeats the write once when its answer was lost: the store recognises the write by its id (R12). */
async function committed(
  { store, ids }: TransitionPorts,
  { record, commands }: Transition,
): Promise<Written> {
  const next = { ...record, writeId: ids.writeId() };
  let outcome: 'committed' | 'conflict';
  try {
    outcome = await store.commit(next);
  } catch (error) {
    if (!(error instanceof UnavailableError)) throw error;
    outcome = await store.commit(next);
  }
  return outcome === 'conflict' ? { kind: outcome } : { kind: outcome, record: next, commands };
}

async function unlessUnwritable(
  ports: TransitionPorts,
  orderId: OrderId,
  short: Transition,
): Promise<Written> {
  try {
    return await committed(ports, short);
  } catch (error) {
    if (error instanceof RefusedError) {
      ports.log.error('order-unwritable', { orderId, code: error.code });
    }
    throw error;
  }
}

function orderContextOf(
  registry: WorkflowRegistry,
  record: ProcessRecord,
  orders: ReadonlyMap<OrderId, Order>,
): OrderContext | null {
  const definition = registry.of(record);
  const order = orders.get(record.orderId);
  return definition === undefined || order === undefined
    ? null
    : { definition, details: order.details };
}
