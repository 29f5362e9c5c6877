/** Mistakes in the timer and the recovery of one process that hardly any world shows, and in how the Supervisor is assembled. */
import { type Mistake, mistake } from './mistake.ts';

const assembly = 'lib/roles/assemble.ts';
const restartTest = 'test/roles/restart.test.ts';
const timerTest = 'test/roles/process-timer.test.ts';

export const mistakesOfProcessTimer: readonly Mistake[] = [
  mistake(
    assembly,
    timerTest,
    'the timer counts an outage as failures',
    'if (sweeps.isAfterOutage()) return;\n          await restarted.interruptNow(orderIds);\n          await role.recover(orderIds, sweeps.isAfterOutage);',
    'await restarted.interruptNow(orderIds);\n          await role.recover(orderIds, () => false);',
  ),
  mistake(
    assembly,
    timerTest,
    'the timer counts a restart as failures',
    'await restarted.interruptNow(orderIds);\n          await role',
    'await role',
  ),
  mistake(
    'lib/roles/recovery/roles-after-restart.ts',
    restartTest,
    'an operator who saw an order before it was interrupted is refused',
    'options?.ifRevision === written.revision - 1',
    'options?.ifRevision === written.revision',
  ),
  mistake(
    'lib/roles/restart.ts',
    restartTest,
    'an order whose interruption was not written is changed all the same',
    'if (first !== undefined) throw errorOf',
    'if (first !== undefined && errorOf === notWritten) throw errorOf',
  ),
  mistake(
    assembly,
    'test/roles/assemble.test.ts',
    'sweeps count late calls whose replies wait',
    '=> leavingWaitingReplies({ ...ports, transitions: nudgingTransitions(ports) });',
    '=> (leavingWaitingReplies({ ...ports, transitions: nudgingTransitions(ports) }), nudgingTransitions(ports));',
  ),
];
