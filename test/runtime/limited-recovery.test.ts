/** After an outage, an agent with limits by key gets its calls again as one without limits does, and its orders are not written more often. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import type { LimitOptions } from '#core/definition/agent-limit.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import { implementAgent } from '#ports/agent-implementation.ts';
import type { LocalOrder } from '#runtime/local/local-order.ts';
import { type TestReeve, testReeve } from '#testing/kit/test-reeve.ts';

const perSecond = 15;
const callMs = 200;
const outageMs = 30_000;
const afterMs = 16_000;
const input = z.object({ cart: z.string() });
type Limits = Readonly<Record<string, LimitOptions<z.infer<typeof input>>>>;

/** The answers in the first seconds after an outage, while orders come all the time, and the writes of an order by then. */
async function recovered(limits: Limits, { restarts = false, carts = 397 } = {}) {
  const pack = defineAgent({ name: 'pack', input, output: z.string(), undo: 'offered', limits });
  const packing = defineWorkflow({ name: 'packing', version: 1, details: input })
    .step('pack', { agent: pack, completeWithin: 1_500, input: ({ details }) => details })
    .build();
  let isDown = false;
  let answers = 0;
  const agent = implementAgent(pack, {
    concurrency: 32,
    async perform() {
      const began = isDown;
      await new Promise<void>((resolve) => reeve.local.clock.after(callMs, resolve));
      if (isDown || began) throw new Error('The service is down.');
      answers += 1;
      return 'packed';
    },
    async undo() {},
  });
  await using reeve: TestReeve = await testReeve({
    ...{ workflows: [packing], agents: [agent], onCodeError() {} },
  });
  const orders: LocalOrder[] = [];
  async function load(ms: number): Promise<void> {
    const pauseMs = 100;
    for (let passed = 0; passed < ms; passed += pauseMs) {
      for (let at = 0; at < (perSecond * pauseMs) / 1_000; at += 1) {
        const details = { cart: `cart-${orders.length % carts}` };
        orders.push(await reeve.submit(packing, details, { tenant: `t${orders.length % 4}` }));
      }
      await reeve.advance(pauseMs);
    }
  }
  await load(10_000);
  isDown = true;
  await load(outageMs / 2);
  if (restarts) {
    await reeve.kill();
    await reeve.restart();
  }
  await load(outageMs / 2);
  isDown = false;
  const before = answers;
  await load(afterMs);
  let writes = 0;
  for (const order of orders) writes += (await order.read()).revision;
  return { answers: answers - before, writes: writes / orders.length };
}

const tenantOf = ({ tenant }: { readonly tenant: string | null }) => tenant;
const cartOf = ({ input: { cart } }: { readonly input: { readonly cart: string } }) => cart;
const rateOf = (count: number, burst: number) => ({
  rate: { key: tenantOf, rate: { count, per: 1_000, burst } },
});
const cart = { cart: { key: cartOf, atOnce: 1 } };

/** `answers`, `writes`: parts of those without limits, at least and at most. The last two bind once the service has answered for a while. */
const cases = [
  { limits: rateOf(200, 20), options: {}, answers: 0.95, writes: 1.05 },
  { limits: rateOf(200, 20), options: { restarts: true }, answers: 0.95, writes: 1.1 },
  { limits: cart, options: {}, answers: 0.95, writes: 1.05 },
  { limits: cart, options: { carts: 20 }, answers: 0.85, writes: 1.25 },
  { limits: cart, options: { carts: 20, restarts: true }, answers: 0.9, writes: 1.35 },
  { limits: { ...rateOf(40, 2), ...cart }, options: { carts: 60 }, answers: 0.9, writes: 1.1 },
  { limits: cart, options: { carts: 7 }, answers: 0.45, writes: 1.2 },
] satisfies readonly {
  readonly limits: Limits;
  readonly options: Parameters<typeof recovered>[1];
  readonly answers: number;
  readonly writes: number;
}[];

/** Without limits, the carts make no difference. */
const unlimited = new Map<boolean, ReturnType<typeof recovered>>();

function withoutLimits(restarts: boolean): ReturnType<typeof recovered> {
  const known = unlimited.get(restarts) ?? recovered({}, { restarts });
  unlimited.set(restarts, known);
  return known;
}

test.each(cases)('$limits $options', async (of) => {
  const { restarts = false } = of.options;
  const [limited, free] = [await recovered(of.limits, of.options), await withoutLimits(restarts)];
  expect(limited.answers).toBeGreaterThan(of.answers * free.answers);
  expect(limited.writes).toBeLessThan(of.writes * free.writes);
});
