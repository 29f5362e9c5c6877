// examples/recipes/shop-client.ts
import { reeveClient } from 'reeve/client';
import type { onePerCart } from './one-per-cart.ts';

// Their types alone are imported, so that a page for browsers does not contain the code of the workflows.
type Shop = { 'one-per-cart': typeof onePerCart };

/** Charges a cart; null: nothing was charged, or an operator has to look at it. */
export async function checkOut(url: string, token: string, cart: string): Promise<string | null> {
  const reeve = reeveClient<Shop>({ url, token });
  const details = { cart, sku: 'teapot-blue', amountCents: 2_490, token: 'tok_visa' };
  // With a key of yours, a second submission, such as one after a crash, is answered with the first order.
  const order = await reeve.submit('one-per-cart', details, { key: `checkout-${cart}` });
  const result = await order.result({ signal: AbortSignal.timeout(60_000) });
  return result.state === 'Processed' ? result.outputs.charge.chargeId : null;
}
