/**
 * Mistakes in waiting: gates, circuits, holds, shares and admission. Those with the name of a product and a number are
 * published bugs of comparable systems.
 */
import { type Mutant, mutantIn } from './mutant.ts';

const inCore = mutantIn('core');
const inProcess = mutantIn('in-process');
const inRoles = mutantIn('roles');

export const mutantsOfFlow: readonly Mutant[] = [
  inRoles(
    'leak the slots of what is not written or not sent (Hatchet #4804)',
    'transitions/gated-decision',
    'if (unsent.length > 0) gates.release(unsent);',
    '',
  ),
  inProcess(
    'let some calls through, and then none (Hatchet #4346)',
    'agent-gate',
    'queue.end(request);\n      free([request], circuit.ended);',
    'queue.end(request);',
  ),
  inProcess(
    'begin every call at once',
    'begin-queue',
    'return begun.size < concurrency ? begin(request) : inTurn(request);',
    'return begin(request);',
  ),
  inProcess(
    'begin the next call when one ends that never began',
    'begin-queue',
    'if (from === undefined) return;',
    '',
  ),
  inProcess(
    'send any number of requests ahead',
    'begin-queue',
    'return Math.floor(concurrency * Math.min(1, aheadMs / Math.max(1, meanMs)));',
    'return 10 * concurrency;',
  ),
  inCore(
    'start a step that its gate holds',
    'decide/start-step',
    'if (hold !== undefined) {',
    'if (hold !== undefined && draft.nowMs < 0) {',
  ),
  inProcess(
    'let every call through while a circuit is half-open (safe-client-gateway #3442)',
    'circuit-breaker',
    'if (!mayCall(circuit, step) || probing === circuit.epoch) return null;',
    "if (circuit.state === 'open') return null;",
  ),
  inCore(
    'let the end of an older call decide about a newer circuit (jac #8064)',
    'flow/circuit',
    'if (call.epoch !== circuit.epoch) return circuit;',
    '',
  ),
  inCore(
    'probe a service only once',
    'flow/circuit',
    'if (nowMs < comes(circuit.probeAt, nowMs)) return null;',
    'if (nowMs < comes(circuit.probeAt, nowMs) || circuit.probes > 0) return null;',
  ),
  inCore(
    'advance no virtual time for what is served (kubernetes #95986)',
    'flow/flow-scheduler',
    'flow.start += 1 / flow.weight;',
    '',
  ),
  inCore(
    'end a hold as soon as it is asked again',
    'decide/settle-holds',
    'if (draft.nowMs < holdEndsAt(policy, { gate: progress.gate, since })) continue;',
    '',
  ),
  inCore(
    'hold a step without an end',
    'decide/hold-step',
    'return since + (isForTurn({ gate }) ? limits.turnMaxMs : holdMaxMs);',
    'return since + 1e3 * holdMaxMs;',
  ),
  inCore(
    'count an attempt that was given back as a failure',
    'decide/replies',
    'if (nowMs >= holdEndsAt(step.policy, { gate, since })) {',
    'if (nowMs >= since) {',
  ),
  inCore(
    'see no doubt in an attempt that was given back',
    'decide/replies',
    'setStep(draft, at, { progress: withoutAttempt(progress) });',
    'setStep(draft, at, { progress: withoutAttempt(progress), doubtUntil: null });',
  ),
  inCore(
    'begin a hold anew with each attempt',
    'decide/replies',
    'const since = Math.min(progress.heldSince ?? nowMs, nowMs);',
    'const since = nowMs;',
  ),
  inCore(
    'count a claim that found every step held',
    'decide/decide',
    "isHeld ? { type: 'held', ...entry, times: 1 } : { type: 'claim', ...entry }",
    "{ type: 'claim', ...entry }",
  ),
  inCore(
    'hold a step of an order that stopped',
    'decide/settle-holds',
    'for (const [at, step] of draft.steps.entries()) holdNoMore(draft, at, step);',
    '',
  ),
  inCore(
    'claim an order in its cool-down because a step of it is held',
    'decide/settle-holds',
    "return isHeld === true && processState === 'Pending' && heldUntil(steps) === notBefore;",
    "return isHeld === true && processState === 'Pending' && heldUntil(steps) !== 0 + notBefore * 0;",
  ),
  inCore(
    'leave holds out of the history',
    'decide/decide',
    '...(held.length > 0 && { holds: held }),',
    '...[],',
  ),
  inRoles(
    'refuse an order that was accepted before',
    'submission',
    'const isKnown = key !== null && (await store.records([orderId])).has(orderId);',
    'const isKnown = false;',
  ),
  inProcess(
    'keep the slots of calls that have ended (kestra #14356, Prefect #17415)',
    'limits/limited-calls',
    'for (const room of call.rooms) room.end();',
    '',
  ),
  inProcess(
    'keep the room that a step has in a limit when it waits no more (Hatchet #4804)',
    'limits/limit-stages',
    'for (const room of rooms) room.end();',
    '',
  ),
  inProcess(
    'let the retries of an attempt pass a rate',
    'limits/limited-calls',
    'const slot = slotOf(call, completeBy);',
    'const slot = call.slot ?? clock.now();',
  ),
  inProcess(
    'let a step pass those that wait for its limit',
    'limits/limit-queue',
    'const at = waits.size() === 0 ? bucket.freeAt() : null;',
    'const at = clock.now();',
  ),
  inProcess(
    'count calls at once by a limit that has room for one more (Hatchet #4806)',
    'limits/limit-bucket',
    'if (atOnce !== null && taken >= atOnce) return null;',
    'if (atOnce !== null && taken > atOnce) return null;',
  ),
  inCore(
    'hand out tokens instead of slots',
    'flow/rate-slots',
    'next = slot + everyMs;',
    'next = Math.max(slot - perMs, nowMs - perMs) + everyMs;',
  ),
];
