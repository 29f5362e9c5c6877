/**
 * Load, decide, write conditionally, send: the way every role changes an order (docs/design.md, "One function
 * decides"). Commands leave only after their write is durable (R13). A write whose answer was lost is repeated with
 * the same write id (R12). After a conflict, the events are decided again on the record that won.
 */

import type { Decision } from '#core/decide/decide.ts';
import type { OrderContext } from '#core/decide/start-step.ts';
import { settledRegistry } from '#core/definition/agent-settings.ts';
import type { WorkflowRegistry } from '#core/definition/registry.ts';
import type { RecordEvent } from '#core/model/event.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { DeadlineCheck } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { Channel, Channels } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';
import type { Gates, KnownSettings } from '#ports/gates.ts';
import type { Log } from '#ports/log.ts';
import type { Ids, Random } from '#ports/random.ts';
import type { StateStore } from '#ports/state-store.ts';
import { heldReport } from '../recovery/held-report.ts';
import { sendCommands } from '../send-commands.ts';
import { loadBatch, type ToLoad } from './load-batch.ts';
import { applyInSequence, type ToSend } from './order-events.ts';

/** The ports of {@link transitions}. */
export interface TransitionPorts {
  readonly store: StateStore;
  readonly channels: Channels;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly log: Log;
  readonly registry: WorkflowRegistry;
  /** Default: every call may be sent at once, that of a pool to its first member. */
  readonly gates?: Gates;
  /** What operators have changed of agents. Default: nothing. */
  readonly settings?: KnownSettings;
  /** Where the Supervisor is asked to look at deadlines. Default: nowhere, so that its sweeps find them. */
  readonly checks?: Channel<DeadlineCheck>;
}

/** An event for an order; it may depend on the record that it is applied to. */
export interface EventFor extends ToLoad {
  /**
   * Null: nothing; the outcome is then ignored as `left-alone`. A reply that ends a late call may wait in its queue, or a sweep has to
   * say whether an outage delayed it.
   *
   * @param known null when the workflow of the order is unknown here, or `reads` is `record`
   */
  readonly event: (record: ProcessRecord, known: OrderContext | null) => RecordEvent | null;
}

/** The result of one event. `record`: as it is stored, after the events that have the same write. */
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

/** Makes {@link Transitions}. */
export function transitions(given: TransitionPorts): Transitions {
  const { settings } = given;
  const ports =
    settings === undefined
      ? given
      : { ...given, registry: settledRegistry(given.registry, settings.current) };
  const reportHeld = heldReport(ports);
  return {
    async apply(batch) {
      const outcomes: Outcome[] = [];
      const toSend: ToSend = { commands: [], checks: [] };
      const [loaded] = await Promise.all([loadBatch(ports.store, batch), settings?.refresh?.()]);
      const groups = byOrder(batch);
      const applied = await Promise.all(
        groups.map(({ events }) => applyInSequence(ports, events, loaded, toSend)),
      );
      for (const [of, { places }] of groups.entries()) {
        for (const [at, outcome] of (applied[of] ?? []).entries()) {
          const place = places[at];
          if (place !== undefined) outcomes[place] = outcome;
          if (outcome.kind === 'committed') reportHeld(outcome.record);
        }
      }
      await sendCommands(ports, toSend.commands, toSend.checks);
      return outcomes;
    },
  };
}

/** The events of one order, and where they are in the batch. */
interface OrderGroup {
  readonly places: number[];
  readonly events: [EventFor, ...EventFor[]];
}

function byOrder(batch: readonly EventFor[]): readonly OrderGroup[] {
  const groups = new Map<OrderId, OrderGroup>();
  for (const [at, eventFor] of batch.entries()) {
    const group = groups.get(eventFor.orderId);
    if (group === undefined) {
      groups.set(eventFor.orderId, { places: [at], events: [eventFor] });
    } else {
      group.places.push(at);
      group.events.push(eventFor);
    }
  }
  return [...groups.values()];
}
