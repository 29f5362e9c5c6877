/** Whether the turn of an order has come: none of those before it with its singleton key is live (R29). */
import { ahead } from '#core/flow/line.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { StateStore } from '#ports/state-store.ts';
import { liveOrder } from './live-order.ts';

/** Once true, it stays so: nothing is ever put before an order, and what has ended stays ended. */
export async function hasTurn(
  store: Pick<StateStore, 'line' | 'records'>,
  { orderId, turn }: ProcessRecord,
): Promise<boolean> {
  if (turn?.behind === undefined) return true;
  // One after the other, because the first is nearly always the one that is live.
  for (const other of ahead(await store.line(turn.line), orderId)) {
    if ((await liveOrder(store, other)) !== null) return false;
  }
  return true;
}
