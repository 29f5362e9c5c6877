/** What must not compile for a user. */
import { defineAgent, definePool, defineWorkflow, implementAgent } from 'reeve';
import * as z from 'zod';

const schemas = { input: z.object({ cents: z.int() }), output: z.object({ id: z.string() }) };
const payment = defineAgent({ name: 'payment', ...schemas, undo: 'offered' });
const score = defineAgent({ name: 'score', ...schemas, undo: 'unneeded' });
const perform = async ({ cents }: { cents: number }) => ({ id: `${cents}` });

// @ts-expect-error -- the contract offers an undo
export const withoutUndo = implementAgent(payment, { perform });
// @ts-expect-error -- the contract offers none
export const withUndo = implementAgent(score, { perform, async undo() {} });
export const sound = [
  implementAgent(payment, { perform, async undo() {} }),
  implementAgent(score, { perform }),
];

// @ts-expect-error -- it accepts a text and returns a boolean
export const changed = defineAgent({ name: 'clock', ...schemas, output: z.stringbool() });

const pool = definePool({
  name: 'pay',
  ...schemas,
  undo: 'offered',
  members: { north: {}, south: {} },
});
// @ts-expect-error -- the contract of the member offers an undo
export const member = implementAgent(pool.member('north'), { perform });

const begin = () =>
  defineWorkflow({ name: 'shop', version: 1, details: z.object({ cents: z.int() }) }).step('rate', {
    agent: score,
    input: ({ details }) => details,
  });
export const twice = begin()
  // @ts-expect-error -- there is a step of that name
  .step('rate', { agent: score, input: ({ details }) => details });
export const listed = begin().step('charge', {
  agent: payment,
  // @ts-expect-error -- rate is listed twice
  after: ['rate', 'rate'],
  input: ({ details }) => details,
});
export const typed = begin()
  .step('charge', {
    agent: payment,
    after: ['rate'],
    input: ({ outputs }) => ({ cents: outputs.rate.id.length }),
  })
  .step('again', {
    agent: payment,
    after: ['rate', 'charge'],
    input: ({ outputs }) => ({ cents: outputs.rate.id.length + outputs.charge.id.length }),
  })
  .build();

const state = z.object({ state: z.enum(['on', 'off']), at: z.tuple([z.int(), z.int()]) });
const lamp = defineAgent({ name: 'lamp', input: state, output: state, undo: 'unneeded' });
export const lit = [
  implementAgent(lamp, { perform: async () => ({ state: 'on', at: [1, 2] }) }),
  // @ts-expect-error -- there is no such state
  implementAgent(lamp, { perform: async () => ({ state: 'dim', at: [1, 2] }) }),
];
export const lighting = begin()
  .step('light', { agent: lamp, input: () => ({ state: 'off', at: [1, 2] }) })
  .build();
