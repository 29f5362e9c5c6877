/** The order of the bill, whose calls count in rates that they do not reach. */
import { threeSteps } from './workflow.ts';

export const workflows = [threeSteps({ whole: { rate: { count: 10_000, per: 1_000 } } })];
