/** Mistakes in delayed messages: nudges for later instants, the look ahead, deadline checks, the timer of one process; and in its ramp after a restart. */
import { type Mutant, mutantIn } from './mutant.ts';

const core = mutantIn('core/decide');
const roles = mutantIn('roles');

export const mutantsOfRecovery: readonly Mutant[] = [
  core(
    'nudge for another instant than the order waits for',
    'draft',
    'timelyNudgeOf(nudged(draft), draft.notBefore, draft.nowMs)',
    'timelyNudgeOf(nudged(draft), draft.notBefore + (draft.notBefore > draft.nowMs ? 1 : 0), draft.nowMs)',
  ),
  core(
    'take an order that the look ahead will find out of the due index',
    'due',
    'return due === rounded ? due + 1 : due;',
    'return null;',
  ),
  roles(
    'check a deadline before its claim is durable',
    'transitions/order-events',
    'const written = await writeDecided(ports, decided);',
    'const early = checkAfter(before, decided.decisions[0].decision.record);\n      if (early !== null) await ports.checks?.send([early]);\n      const written = await writeDecided(ports, decided);',
  ),
  roles(
    'acknowledge a deadline check without looking',
    'recovery/deadline-checks',
    "if (await isForSweeps()) return checks.map(() => ({ kind: 'done' }));",
    "if (checks.length > 0) return checks.map(() => ({ kind: 'done' }));",
  ),
  roles(
    'count an outage as a failure when a deadline check comes after it',
    'recovery/deadline-checks',
    'return recalled.isAfterOutage;\n  }\n\n  const isOverdueForLong = (record: ProcessRecord) =>\n    clock.now() - (overdueAt(record) ?? Number.POSITIVE_INFINITY) > ports.outageAfterMs;',
    'return false;\n  }\n\n  const isOverdueForLong = (record: ProcessRecord) => overdueAt(record) === Number.NaN;',
  ),
  roles(
    'leave late calls to the deadline checks',
    'recovery/recover-page',
    'if (gaps.length === 0) return expired;',
    "if (gaps.length === 0) return record.processState === 'Processing' ? { type: 'resubmit', by: 'sweep' } : expired;",
  ),
  roles(
    'check the deadlines of an order for ever',
    'recovery/deadline-checks',
    'return isLeft ? laterCheck(record, check, nowMs) : nextCheck(record, check, nowMs);',
    'return { ...check, at: nowMs + 1_000 };',
  ),
  roles(
    'sweep an order of the last process before its turn',
    'restart',
    'page.items.filter((orderId) => !former.left.has(orderId))',
    'page.items',
  ),
  roles(
    'dispatch nothing after the first second of the ramp',
    'recovery/restart-ramp',
    'seconds += 1;',
    'await pause(100 * 3_600_000);\n      seconds += 1;',
  ),
];
