/** The orders with a step that waits for an agent, as the state store knows them. */
import type { FlowCount } from '#core/flow/held-backlog.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { Priority } from '#core/model/record.ts';

/** Where orders wait for an agent. */
export interface HeldPlace {
  /** The tenant of the order, as a text that is the same for all its orders. */
  readonly flow: string;
  /** The queue of the step, where several wait for the agent; null: it has none. */
  readonly queue: string | null;
}

/** An order that waits. */
export interface HeldOrder extends HeldPlace {
  readonly orderId: OrderId;
}

/** An index that may lag: an order that it gives may have started since. */
export interface HeldSteps {
  /**
   * At most `limit` orders of a class that wait for the agent, by flow, then by queue, and within it by the time that they have
   * waited.
   *
   * @param after only orders of later places; null: of all
   * @throws {UnavailableError} when the index cannot be read
   */
  waiting(
    agent: string,
    priority: Priority,
    limit: number,
    after: HeldPlace | null,
  ): Promise<readonly HeldOrder[]>;
}

/** Counts the orders of the index. */
export interface HeldCounts {
  /**
   * The orders of a class that wait for the agent, by tenant; of very many only a part, which is more than may wait.
   *
   * @param from since when an order has to wait to count as early, ms since the epoch; null: none does
   * @throws {UnavailableError} when the index cannot be read
   */
  count(agent: string, priority: Priority, from: number | null): Promise<readonly FlowCount[]>;
}
