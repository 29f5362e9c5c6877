/** `prove` on agents, models of services and workflows that are correct, and unusual: it blames none of them. */
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import {
  type AgentCode,
  type AgentImplementation,
  implementAgent,
  PermanentFault,
} from '#ports/agent-implementation.ts';
import { defineProof } from '#testing/prove/proof.ts';
import { proofReport } from '#testing/prove/prove.ts';
import { simulatedService } from '#testing/prove/simulated-service.ts';
import { soundAgent } from '#testing/prove/sound-agent.ts';

const minutes = (count: number) => count * 60_000;
const input = z.strictObject({ cents: z.int() });
const output = z.strictObject({ charge: z.string() });
const card = defineAgent({ name: 'card', input, output, undo: 'offered' });
const details = input;
type Code = AgentCode<z.infer<typeof input>, z.infer<typeof output>, 'offered'>;

const step = {
  agent: card,
  input: ({ details: { cents } }: { details: { cents: number } }) => ({ cents }),
};
const sale = defineWorkflow({ name: 'sale', version: 1, details }).step('charge', step).build();

async function reportOf(agents: readonly AgentImplementation[], workflow = sale, seeds = 40) {
  const orders = () => ({ cents: 5 });
  return proofReport(defineProof({ workflows: [workflow], agents, orders, seeds }));
}

const mistakesOf = async (code: Partial<Code>, workflow = sale, seeds = 40) =>
  (await reportOf([implementAgent(card, { ...usual, ...code })], workflow, seeds)).mistakes.map(
    ({ rule, message }) => `${rule}: ${message}`,
  );

const bankOf = (takes = { least: 5, most: 300 }) =>
  simulatedService(
    'card bank',
    ({ effects, refuses }) => {
      const closed = new Set<string>();
      return {
        charge(key: string) {
          if (!effects.has(key) && refuses()) closed.add(key);
          if (closed.has(key)) throw new PermanentFault('declined', 'It refuses.', 'none');
          if (!effects.has(key)) effects.add(key);
          return { charge: `charge-${key}` };
        },
        status: (key: string) => (effects.has(key) ? 'paid' : 'none'),
        refund(key: string) {
          closed.add(key);
          effects.remove(key);
        },
      };
    },
    { takes },
  );
const bank = bankOf();

const usual: Code = {
  perform: (_, { idempotencyKey, signal }) => bank.charge(idempotencyKey, signal),
  undo: ({ performKey }, { signal }) => bank.refund(performKey, signal),
};
const sleep = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });

test('a service that recognises keys by what it remembers itself, and never looks at its effects', async () => {
  const shop = simulatedService('shop', ({ effects, refuses }) => {
    const closed = new Set<string>();
    const charges = new Map<string, { id: string; charge: string }>();
    return {
      charge({ key }: { key: string }) {
        const known = charges.get(key);
        if (known !== undefined) return known;
        if (refuses()) closed.add(key);
        if (closed.has(key)) throw new PermanentFault('declined', 'It refuses.', 'none');
        const made = { id: `c${charges.size}`, charge: `charge-${key}` };
        effects.add(made.id);
        charges.set(key, made);
        return made;
      },
      refund(key: string) {
        closed.add(key);
        const known = charges.get(key);
        if (known !== undefined) effects.remove(known.id);
      },
    };
  });
  const found = await mistakesOf({
    async perform(_, { idempotencyKey: key, signal }) {
      const { charge } = await shop.charge({ key }, signal);
      return { charge };
    },
    undo: ({ performKey }, { signal }) => shop.refund(performKey, signal),
  });
  expect(found).toEqual([]);
});

test('an agent that waits between requests, and passes its signal to each, begins none after its deadline', async () => {
  const found = await mistakesOf({
    async perform(_, { idempotencyKey, signal }) {
      for (let tries = 0; ; tries += 1) {
        try {
          const made = await bank.charge(idempotencyKey, signal);
          await sleep(1_500);
          await bank.status(idempotencyKey, signal);
          return made;
        } catch (error) {
          if (error instanceof PermanentFault || tries === 3) throw error;
          await sleep(500 * 2 ** tries);
        }
      }
    },
  });
  expect(found).toEqual([]);
});

test('an agent without effects that looks at those of another step', async () => {
  const check = defineAgent({
    name: 'check',
    input: output,
    output: z.strictObject({ status: z.string() }),
    undo: 'unneeded',
  });
  const workflow = defineWorkflow({ name: 'sale', version: 1, details })
    .step('charge', step)
    .step('look', { agent: check, after: ['charge'], input: ({ outputs }) => outputs.charge })
    .build();
  const looking = implementAgent(check, {
    perform: async ({ charge }, { signal }) => ({
      status: await bank.status(charge.replace('charge-', ''), signal),
    }),
  });
  const { mistakes } = await reportOf([implementAgent(card, usual), looking], workflow);
  expect(mistakes).toEqual([]);
});

test('an agent that sends heartbeats by an interval, while its service takes longer than completeWithin', async () => {
  const slow = bankOf({ least: 15_000, most: 20_000 });
  const workflow = defineWorkflow({ name: 'sale', version: 1, details })
    .step('charge', {
      ...{ ...step, completeWithin: 10_000, maxDuration: minutes(2) },
      undo: { completeWithin: minutes(1) },
    })
    .build();
  const found = await mistakesOf(
    {
      async perform(_, { idempotencyKey, signal, heartbeat }) {
        const beat = setInterval(heartbeat, 2_000);
        try {
          return await slow.charge(idempotencyKey, signal);
        } finally {
          clearInterval(beat);
        }
      },
      undo: ({ performKey }, { signal }) => slow.refund(performKey, signal),
    },
    workflow,
  );
  expect(found).toEqual([]);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, 2 ** 40, -5])(
  'a timer of %d ms is one of 1 ms, as that of Node',
  async (ms) => {
    const found = await mistakesOf(
      {
        async perform(given, call) {
          await sleep(ms);
          return usual.perform(given, call);
        },
      },
      sale,
      5,
    );
    expect(found).toEqual([]);
  },
  60_000,
);

test('an agent that reads a stream of Node in memory', async () => {
  const found = await mistakesOf(
    {
      async perform(given, call) {
        await text(Readable.from(['a', 'b', 'c']));
        return usual.perform(given, call);
      },
    },
    sale,
    10,
  );
  expect(found).toEqual([]);
});

test('an order that waits for a day before a step is tried again', async () => {
  const workflow = defineWorkflow({ name: 'sale', version: 1, details })
    .step('charge', {
      ...{ ...step, completeWithin: 1_000, retries: 0 },
      coolDown: { after: 24 * minutes(60), times: 3 },
    })
    .build();
  expect(await mistakesOf({}, workflow, 20)).toEqual([]);
});

test('a service that takes a quarter of an hour', async () => {
  const within = { completeWithin: minutes(20) };
  const workflow = defineWorkflow({ name: 'sale', version: 1, details })
    .step('charge', { ...step, ...within, undo: within })
    .build();
  const agent = soundAgent(card, () => ({ charge: 'c' }), { takes: minutes(15) });
  const { mistakes } = await reportOf([agent], workflow, 20);
  expect(mistakes).toEqual([]);
});

test('an agent that a limit lets call once a minute, of which steps wait longer than for a slot', async () => {
  const limits = {
    each: { key: () => 'one', atOnce: 1 },
    slowly: { rate: { count: 1, per: minutes(1) } },
  };
  const slow = defineAgent({ name: 'slow', input, output, undo: 'offered', limits });
  const workflow = defineWorkflow({ name: 'sale', version: 1, details })
    .step('reserve', { ...step, agent: slow })
    .step('charge', { ...step, after: ['reserve'] })
    .build();
  const { mistakes } = await proofReport(
    defineProof({
      ...{ workflows: [workflow], seeds: 12 },
      agents: [slow, card].map((each) => soundAgent(each, () => ({ charge: 'c' }))),
      orders: (draw) => ({ cents: draw.between(1, 3) }),
    }),
  );
  expect(mistakes).toEqual([]);
});
