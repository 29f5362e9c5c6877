/** A workflow whose money comes from a pool: two regions of a bank, which know each other's keys, and a rival. */
import * as z from 'zod';
import { submitted } from '#core/decide/submit.ts';
import { definePool } from '#core/definition/agent-pool.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { RecordEvent } from '#core/model/event.ts';
import { agentName, orderId, schedulerId, stepName, writeId } from '#core/model/ids.ts';
import type { PendingRecord, ProcessRecord } from '#core/model/record.ts';

const sum = z.object({ cents: z.int() });

const tellers = {
  name: 'teller',
  input: sum,
  output: sum,
  undo: 'offered',
  members: { east: { domain: 'bank', weight: 3 }, west: { domain: 'bank' }, rival: {} },
} as const;
const teller = definePool(tellers);

export const till = defineWorkflow({ name: 'till', version: 1, details: sum })
  .step('collect', {
    agent: teller,
    completeWithin: 1_000,
    retries: 3,
    input: ({ details }) => details,
  })
  .build();

/** The same, where a step in doubt is undone before another member gets it. */
export const backedTill = defineWorkflow({ name: 'till', version: 1, details: sum })
  .step('collect', {
    agent: definePool({ ...tellers, failover: 'undo-first' }),
    completeWithin: 1_000,
    retries: 0,
    coolDown: { after: 100, times: 1 },
    input: ({ details }) => details,
  })
  .build();

export const east = agentName('teller-east');
export const west = agentName('teller-west');
export const rival = agentName('teller-rival');
/** The group of the two regions, and the pool: the names under which steps wait. */
export const bank = agentName('teller--bank');
export const anyone = agentName('teller');

export function newTill(id: string, at: number, workflow = till): PendingRecord {
  const event = { type: 'submit', by: 'ada', orderId: orderId(id), priority: 'normal' } as const;
  const from = { ...event, tenant: null, replyTo: null, correlationId: null };
  return submitted(from, workflow, at, writeId('w')).record;
}

export const claim: RecordEvent = { type: 'claim', by: schedulerId('s') };
export const expire: RecordEvent = { type: 'expired' };
export const succeeded = (agent: string, attempt: number): RecordEvent => ({
  type: 'stepSucceeded',
  step: stepName('collect'),
  attempt,
  agent: agentName(agent),
  output: { cents: 5 },
});

export const undone = (agent: string, attempt: number): RecordEvent => ({
  type: 'undoSucceeded',
  step: stepName('collect'),
  attempt,
  agent: agentName(agent),
});

/** The step, as `Running teller-east`. */
export const stepOf = ({ steps: [step] }: ProcessRecord): string =>
  step === undefined ? 'none' : `${step.progress.state} ${step.agent}`;
