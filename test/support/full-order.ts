/** An order whose record fills the store's limit, as older releases allowed. */
import * as z from 'zod';
import { recordBytes } from '#core/codec/record-size.ts';
import { decide } from '#core/decide/decide.ts';
import { submitted } from '#core/decide/submit.ts';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { HistoryEntry } from '#core/model/history.ts';
import { orderId, schedulerId, stepName, writeId } from '#core/model/ids.ts';
import type { Order, PendingRecord, ProcessRecord, StepRecord } from '#core/model/record.ts';

const filler = defineAgent({
  name: 'filler',
  input: z.null(),
  output: z.string(),
  undo: 'offered',
});

const begin = defineWorkflow({ name: 'full', version: 1, details: z.null() });
const stepCount = 60;
const doneCount = 59;
for (let at = 0; at < stepCount; at += 1) {
  begin.step(`s${at}`, { agent: filler, completeWithin: 10_000, input: () => null });
}
/** Sixty concurrent steps with outputs of unlimited size. */
export const full = begin.build();

/** The order, its first record, and a record of at least this size: all steps but one are done. */
export function fullOrder(
  id: string,
  at: number,
  bytes: number,
): { readonly order: Order; readonly record: PendingRecord; readonly filled: ProcessRecord } {
  const own = orderId(id);
  const order: Order = { orderId: own, details: null, digest: id, submittedAt: at };
  const of = { orderId: own, priority: 'normal', tenant: null, replyTo: null } as const;
  const event = { type: 'submit', by: 'ada', ...of, correlationId: null } as const;
  const { record } = submitted(event, full, at, writeId(`${id}.1`));
  const claim = { type: 'claim', by: schedulerId('scheduler') } as const;
  const claimed = decide(record, claim, { definition: full, details: null }, at);
  if (claimed.kind === 'ignored') throw new Error('nothing was claimed');
  const base = { ...claimed.record, writeId: writeId(`${id}.2`) };
  const left = bytes - recordBytes(filledWith(base, 0));
  return { order, record, filled: filledWith(base, Math.ceil(left / doneCount)) };
}

function filledWith(base: ProcessRecord, outputLength: number): ProcessRecord {
  const steps = base.steps.map((step, at): StepRecord => {
    if (at >= doneCount) return step;
    const output = 'x'.repeat(outputLength);
    return { ...step, doubtUntil: null, progress: { state: 'Completed', output } };
  });
  const entries = Array.from({ length: doneCount }, (_, at): HistoryEntry => {
    const step = stepName(`s${at}`);
    return {
      type: 'stepSucceeded',
      at: base.updatedAt,
      step,
      attempt: 1,
      definitionUnknown: false,
    };
  });
  return { ...base, steps, history: [...base.history, ...entries] };
}
