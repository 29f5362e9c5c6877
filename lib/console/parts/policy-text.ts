/** Policies of steps in the words of the page "Workflows". */
import type { Workflow, WorkflowStep } from '#console/api/documents.ts';
import { lengthText } from './instants.ts';

type CoolDowns = Pick<
  WorkflowStep['policy'],
  'coolDownMs' | 'coolDownTimes' | 'coolDownFactor' | 'coolDownMaxMs'
>;

/** The pauses between rounds of attempts: "10 s, 3×"; growing: "10 s, then ×2 up to 15 min, 3×". */
export function coolDownText({
  coolDownMs,
  coolDownTimes,
  coolDownFactor,
  coolDownMaxMs,
}: CoolDowns): string {
  if (coolDownTimes === 0) return 'none';
  const most = coolDownMaxMs === undefined ? '' : ` up to ${lengthText(coolDownMaxMs)}`;
  const growth = coolDownFactor === undefined ? '' : `, then ×${coolDownFactor}${most}`;
  return `${lengthText(coolDownMs)}${growth}, ${coolDownTimes}×`;
}

/** How the undo of a step is tried: "2 attempts, 10 s, then ×2 up to 15 min, 102×"; or why it is never undone. */
export function undoText({ undo, policy }: Pick<WorkflowStep, 'undo' | 'policy'>): string {
  if (policy.undo === null) return 'irreversible';
  if (undo !== 'offered') return undo;
  const attempts = policy.undo.retries + 1;
  const each = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  return policy.undo.coolDownTimes === 0 ? each : `${each}, ${coolDownText(policy.undo)}`;
}

/** The limit on the time of an order: "an order has 15 min, then it is undone". */
export function deadlineText({
  completeWithinMs,
  onLate,
}: NonNullable<Workflow['deadline']>): string {
  return `an order has ${lengthText(completeWithinMs)}, then it ${lateEffects[onLate]}`;
}

const lateEffects = { hold: 'waits for an operator', undo: 'is undone' } as const;
