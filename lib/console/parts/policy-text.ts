/** Policies of steps in the words of the page "Workflows". */
import type { WorkflowStep } from '#console/api/documents.ts';
import { lengthText } from './instants.ts';

type Policy = WorkflowStep['policy'];

/** The pauses between rounds of attempts: "10 s, 3×"; growing: "10 s, then ×2 up to 15 min, 3×". */
export function coolDownText({
  coolDownMs,
  coolDownTimes,
  coolDownFactor,
  coolDownMaxMs,
}: Pick<Policy, 'coolDownMs' | 'coolDownTimes' | 'coolDownFactor' | 'coolDownMaxMs'>): string {
  if (coolDownTimes === 0) return 'none';
  const most = coolDownMaxMs === undefined ? '' : ` up to ${lengthText(coolDownMaxMs)}`;
  const growth = coolDownFactor === undefined ? '' : `, then ×${coolDownFactor}${most}`;
  return `${lengthText(coolDownMs)}${growth}, ${coolDownTimes}×`;
}
