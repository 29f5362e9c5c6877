/** A workflow that is not built. */
import * as z from 'zod';
import { defineWorkflow } from '#core/definition/workflow.ts';

export const workflows = [
  defineWorkflow({ name: 'sale', version: 1, details: z.strictObject({}) }),
];
