/** The orders with a step that waits for an agent, as the state store knows them. */
import type { FlowCount } from '#core/flow/held-backlog.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { Priority } from '#core/model/record.ts';

/** An order that waits. */
export interface HeldOrder {
  readonly orderId: OrderId;
  /** The tenant of the order, as a text that is the same for all its orders. */
  readonly flow: string;
}

/** An index that may lag: an order that it gives may have started since. */
export interface HeldSteps {
  /**
   * At most `limit` orders of a class that wait for the agent, by flow, and within a flow by the time that they have waited.
   *
   * @param after only orders of later flows; null: of all
   * @throws {UnavailableError} when the index cannot be read
   */
  waiting(
    agent: string,
    priority: Priority,
    limit: number,
    after: string | null,
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
