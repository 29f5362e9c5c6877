/** The events of one order, applied in sequence, with as few writes as possible. */
import { checkAfter } from '#core/decide/checks/deadline-check.ts';
import type { OrderContext } from '#core/decide/start-step.ts';
import type { WorkflowRegistry } from '#core/definition/registry.ts';
import type { BackOff } from '#core/model/back-off.ts';
import { ReeveError } from '#core/model/errors.ts';
import type { OrderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { Command, DeadlineCheck } from '#core/model/message.ts';
import type { Order, ProcessRecord } from '#core/model/record.ts';
import { backOffMs, pause } from '../delays.ts';
import { decideTogether } from './decide-together.ts';
import { worthSending } from './gated-decision.ts';
import { type Loaded, load } from './load-batch.ts';
import type { EventFor, Outcome, TransitionPorts } from './transitions.ts';
import { writeDecided } from './write-decided.ts';

/** What the writes of a batch require. */
export interface ToSend {
  readonly commands: Command[];
  readonly checks: DeadlineCheck[];
}

/** At least one. */
type OrderEvents = readonly [EventFor, ...EventFor[]];

/** Between retries after a conflict; a store answers in 5 to 10 ms. */
const conflictBackOff: BackOff = { firstMs: 5, maxMs: 200 };

/**
 * One outcome per event, in the same order.
 *
 * @param batch null: the order is read separately
 */
export function applyInSequence(
  ports: TransitionPorts,
  events: OrderEvents,
  batch: Loaded | null,
  toSend: ToSend,
): Promise<readonly Outcome[]> {
  return events.length === 1
    ? applyFirst(ports, events, undefined, batch, toSend)
    : applyAll(ports, events, batch, toSend);
}

async function applyAll(
  ports: TransitionPorts,
  events: OrderEvents,
  batch: Loaded | null,
  toSend: ToSend,
): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  let left: OrderEvents | null = events;
  while (left !== null) {
    outcomes.push(...(await applyFirst(ports, left, latestOf(outcomes), batch, toSend)));
    const [next, ...others] = events.slice(outcomes.length);
    left = next === undefined ? null : [next, ...others];
  }
  return outcomes;
}

/** The record after these events, where it is known. */
function latestOf(outcomes: readonly Outcome[]): ProcessRecord | undefined {
  const last = outcomes.at(-1);
  return last !== undefined && 'record' in last ? last.record : undefined;
}

/**
 * The outcomes of the first of the events: of one at least. Where they have no write, whose condition would have shown it, a stale record may
 * be the reason: then they are decided again on a consistent read.
 *
 * @param latest the record after the events before these; undefined: as the batch was read
 */
function applyFirst(
  ports: TransitionPorts,
  events: OrderEvents,
  latest: ProcessRecord | undefined,
  batch: Loaded | null,
  toSend: ToSend,
): Promise<readonly Outcome[]> {
  const deciding = decideFirst(ports, events, latest, batch, toSend);
  if (latest !== undefined || batch?.isEventual !== true) return deciding;
  return deciding.then((outcomes) =>
    outcomes.some(isUnwritten) && !outcomes.some(isCommitted)
      ? decideFirst(ports, events, undefined, null, toSend)
      : outcomes,
  );
}

const isUnwritten = ({ kind }: Outcome) => kind === 'ignored' || kind === 'unknown-order';
const isCommitted = ({ kind }: Outcome) => kind === 'committed';

async function decideFirst(
  ports: TransitionPorts,
  events: OrderEvents,
  latest: ProcessRecord | undefined,
  batch: Loaded | null,
  toSend: ToSend,
): Promise<readonly Outcome[]> {
  const [first] = events;
  const { orderId } = first;
  let together = events;
  try {
    const { records, orders } = batch ?? (await load(ports.store, [first]));
    let record = latest ?? records.get(orderId);
    for (let tries = 0; tries <= limits.conflictRetriesMax; tries += 1) {
      if (record === undefined) return [{ kind: 'unknown-order' }];
      const before = record;
      const deciding = decideTogether(
        ports,
        before,
        together,
        orderContextOf(ports.registry, before, orders),
      );
      // Every event of an embedded Reeve passes here: only gates that must read something cost a turn.
      const decided = deciding instanceof Promise ? await deciding : deciding;
      if (decided.kind === 'ignored') return [{ ...decided, record }];
      const written = await writeDecided(ports, decided);
      if (written.kind === 'ignored') return [{ ...written, record }];
      if (written.kind === 'committed') {
        toSend.commands.push(...worthSending(ports.gates, written.record, written.commands));
        const check = ports.checks === undefined ? null : checkAfter(before, written.record);
        if (check !== null) toSend.checks.push(check);
        const { record: stored } = written;
        return decided.ignored.map((ignored) =>
          ignored === null ? { kind: 'committed', record: stored } : { ...ignored, record: stored },
        );
      }
      if (written.kind === 'refused') {
        together = [first];
        continue;
      }
      await pause(ports.clock, backOffMs(conflictBackOff, tries + 1, ports.random));
      record = (await ports.store.records([orderId])).get(orderId);
    }
    throw new ReeveError(
      'contention',
      `Order ${orderId} changed ${limits.conflictRetriesMax} times during one event. The event will be retried.`,
    );
  } catch (error) {
    return [{ kind: 'failed', error }];
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
