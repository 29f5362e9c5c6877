/** Mistakes in what calls, submitters and operators are given, and in when orders continue. */
import { type Mutant, mutantIn } from './mutant.ts';

const core = mutantIn('core');
const roles = mutantIn('roles');

export const mutantsOfContents: readonly Mutant[] = [
  core(
    'give a step no output of those before it',
    'decide/step-context',
    'outputs[name] = outputOf(progress);',
    'outputs[name] = undefined;',
  ),
  core(
    'ask for an undo without the output of its step',
    'decide/start-step',
    "output: progress.state === 'Completed' ? progress.output : null,",
    'output: null,',
  ),
  roles(
    'give the code of an undo no output',
    'agent/agent-runner',
    'agent.undo?.({ performKey, input, output }, call)',
    'agent.undo?.({ performKey, input, output: null }, call)',
  ),
  roles(
    'give all orders of a batch the details of one',
    'orders-of',
    'orders.set(orderId, { orderId, ...document, submittedAt });',
    'orders.set(orderId, { orderId, ...(records.find((one) => one.document !== undefined)?.document ?? document), submittedAt });',
  ),
  core(
    'end the doubt of an attempt that is given back',
    'decide/replies',
    'setStep(draft, at, { progress: withoutAttempt(progress) });\n  const step = draft.steps[at];',
    'setStep(draft, at, { progress: withoutAttempt(progress), doubtUntil: Math.min(draft.steps[at]?.doubtUntil ?? 0, nowMs - 1) });\n  const step = draft.steps[at];',
  ),
  core(
    'look for an unclaimed order after days',
    'decide/due',
    'nowMs + limits.pickUpGraceMs',
    'nowMs + 6 * 86_400_000',
  ),
  roles(
    'hold the lease of a shard for twenty times as long',
    'assemble',
    'supervisor: role, holder: ports.holder()',
    'leaseMs: 20 * ports.leaseMs, supervisor: role, holder: ports.holder()',
  ),
  roles(
    'take a pause of one process between two sweeps for an outage',
    'assemble',
    'outageAfterMs,\n    uninterrupted',
    'outageAfterMs: outageAfterMs / 100,\n    uninterrupted',
  ),
  roles(
    'park messages that can be read',
    'queue-delivery',
    'readable.push({ carrier, message: decoded.message });',
    "if (carrier.messageId.endsWith('7')) deliveries.set(carrier, { kind: 'park', reason: 'odd' });\n        else readable.push({ carrier, message: decoded.message });",
  ),
  core(
    'report each change as the first of its order',
    'model/change',
    'previousState,\n    processState,\n    direction,\n    fault,\n    tried',
    'previousState: null,\n    processState,\n    direction,\n    fault,\n    tried',
  ),
  roles(
    'say that a resubmit is done that was refused',
    'operator',
    "if (outcome.reason === 'other-tenant') return",
    "if (outcome.reason === 'not-in-error') return { kind: 'done', record: outcome.record };\n        if (outcome.reason === 'other-tenant') return",
  ),
  roles('send heartbeats after complete-by', 'agent/agent-call', 'if (own.isPast()) return;', ''),
];
