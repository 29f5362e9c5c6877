/** The order of the bill, whose steps may take minutes. */
import { threeSteps } from './workflow.ts';

export const workflows = [threeSteps({}, { completeWithin: 180_000 })];
