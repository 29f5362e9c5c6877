/** A correct submitter: it repeats a submission with the same key until it is accepted. */
import * as z from 'zod';
import { pause } from './chance.ts';

const accepted = z.object({ orderId: z.string() });
const shown = z.object({ orderId: z.string(), processState: z.string() });

export type Ended = z.infer<typeof shown> & { readonly amountCents: number };

/** Returns the amount of each accepted order by its id. */
export async function submitAll(
  url: string,
  count: number,
  random: () => number,
): Promise<ReadonlyMap<string, number>> {
  const orders = new Map<string, number>();
  for (let number = 1; number <= count; number += 1) {
    const cents = 100 + Math.floor(random() * 10_000);
    orders.set(await submit(url, `crash-${number}`, cents), cents);
    await pause(random() * 60);
  }
  return orders;
}

async function submit(url: string, key: string, cents: number): Promise<string> {
  for (;;) {
    const response = await request(`${url}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': key },
      body: JSON.stringify({
        workflow: 'order-fulfilment',
        details: {
          customer: key,
          lines: [{ sku: 'cup', quantity: 1, unitPriceCents: cents }],
          currency: 'EUR',
          payment: { token: 'tok_crash' },
          shipTo: { name: 'A', street: 'B 1', city: 'C', postalCode: '1', country: 'DE' },
        },
      }),
    });
    if (response?.status === 202) return accepted.parse(await response.json()).orderId;
    if (response !== undefined && response.status < 500) {
      throw new Error(`refused: ${await response.text()}`);
    }
    await pause(50);
  }
}

/** Waits until each order has ended; an operator resubmits those in Error meanwhile. */
export async function waitForEnds(
  url: string,
  orders: ReadonlyMap<string, number>,
): Promise<Ended[]> {
  const ends: Ended[] = [];
  for (const [orderId, amountCents] of orders) {
    for (;;) {
      const response = await request(`${url}/orders/${orderId}`);
      if (response?.status === 404) throw new Error(`accepted order ${orderId} is lost`);
      const order = response?.ok ? shown.parse(await response.json()) : undefined;
      if (order?.processState === 'Processed' || order?.processState === 'Undone') {
        ends.push({ ...order, amountCents });
        break;
      }
      if (order?.processState === 'Error') {
        await request(`${url}/orders/${orderId}/resubmit`, { method: 'POST' });
      }
      await pause(50);
    }
  }
  return ends;
}

/** Undefined when the connection failed, because Reeve was killed. */
async function request(url: string, init?: RequestInit): Promise<Response | undefined> {
  try {
    return await fetch(url, init);
  } catch {
    return undefined;
  }
}
