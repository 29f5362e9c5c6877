/** The order of the bill, whose calls count in numbers of calls at once that they do not reach. */
import { threeSteps } from './workflow.ts';

export const workflows = [threeSteps({ whole: { atOnce: 40 } })];
