/** Gates that read something before they answer: what is decided then may ask for other calls than what was asked first. */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { submitted } from '#core/decide/submit.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { RecordEvent } from '#core/model/event.ts';
import { agentName, orderId, schedulerId, stepName, writeId } from '#core/model/ids.ts';
import type { Gates } from '#ports/gates.ts';
import { roleScenario } from './scenario.ts';

const schemas = { input: z.null(), output: z.null(), undo: 'offered' } as const;
const post = defineAgent({ name: 'post', ...schemas });
const bank = defineAgent({ name: 'bank', ...schemas });
const options = { completeWithin: 1_000, input: () => null };
const parcels = defineWorkflow({ name: 'parcels', version: 1, details: z.null() })
  .step('label', { agent: post, ...options })
  .step('pay', { agent: bank, ...options })
  .build();

const id = orderId('o-1');
const by = (agent: string, step: string) => ({
  step: stepName(step),
  attempt: 1,
  agent: agentName(agent),
});

/** A new order. */
async function parcel(gates: Gates) {
  const scenario = roleScenario(undefined, [parcels], undefined, gates);
  const { clock, store, transitions } = scenario;
  const from = { tenant: null, replyTo: null, correlationId: null };
  const event = { type: 'submit', by: 'ada', orderId: id, priority: 'normal', ...from } as const;
  const at = clock.now();
  const first = submitted(event, parcels, at, writeId('w')).record;
  await store.create({ orderId: id, details: null, digest: 'd', submittedAt: at }, first);
  const apply = (...events: readonly RecordEvent[]) =>
    transitions.apply(events.map((one) => ({ orderId: id, event: () => one })));
  return { ...scenario, apply };
}

test('an answer counts for the step that was asked for, and one that became ready meanwhile is asked for later (R21)', async () => {
  /** How long the gates read. */
  let readMs = 0;
  const held = new Set<string>();
  const asked: string[][] = [];
  const gates: Gates = {
    async ask(requests) {
      clock.jump(readMs);
      asked.push(requests.map(({ step }) => step));
      return requests.map(({ agent }) =>
        held.has(agent) ? { gate: 'circuit', until: clock.now() + 60_000 } : null,
      );
    },
    release() {},
  };
  const { clock, record, apply } = await parcel(gates);
  await apply({ type: 'claim', by: schedulerId('s') });
  await apply({ type: 'stepSucceeded', ...by('post', 'label'), output: null });
  await apply({ type: 'cancel', by: 'ada' });
  // The attempt to pay was given back. It may have an effect until its deadline, which passes while the gates read.
  clock.jump(990);
  readMs = 20;
  held.add('post');
  asked.length = 0;
  await apply({ type: 'deferred', ...by('bank', 'pay'), gate: 'circuit', retryAfterMs: 1_000 });
  expect(asked).toEqual([['label']]);
  const { steps } = await record(id);
  expect(steps.map(({ name, progress }) => [name, progress.state])).toEqual([
    ['label', 'Held'],
    ['pay', 'Held'],
  ]);
});

// The lease of a call's room ends by the complete-by of the request that was asked for.
test.each([
  { tookMs: 2_000, sent: 2, released: [] },
  { tookMs: 2_001, sent: 0, released: ['label', 'pay'] },
])(
  'slots that come $tookMs ms after they were asked for: $sent calls',
  async ({ tookMs, sent, released }) => {
    const slots = [{ name: 'post/whole#calls', holder: 'h-1' }];
    const returned: string[] = [];
    const gates: Gates = {
      async ask(requests) {
        clock.jump(tookMs);
        return requests.map(() => ({ slots }));
      },
      release(requests) {
        returned.push(...requests.map(({ step }) => step));
        expect(requests).toMatchObject(requests.map(() => ({ slots })));
      },
    };
    const { clock, record, apply, requests } = await parcel(gates);
    await apply({ type: 'claim', by: schedulerId('s') });
    expect(requests().map((request) => request.slots)).toEqual(Array(sent).fill(slots));
    expect(returned).toEqual(released);
    const [label] = (await record(id)).steps;
    const held = { state: 'Held', gate: 'limit', until: clock.now() + 1_000 };
    expect(label?.progress).toMatchObject(sent === 2 ? { state: 'Running' } : held);
  },
);
