/** Mistakes in the timer of one process that hardly any world shows, and in how the Supervisor is assembled. */
import { type Mistake, mistake } from './mistake.ts';

const assembly = 'lib/roles/assemble.ts';
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
    assembly,
    'test/roles/assemble.test.ts',
    'sweeps count late calls whose replies wait',
    '=> leavingWaitingReplies({ ...ports, transitions: nudgingTransitions(ports) });',
    '=> (leavingWaitingReplies({ ...ports, transitions: nudgingTransitions(ports) }), nudgingTransitions(ports));',
  ),
];
