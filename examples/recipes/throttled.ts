// examples/recipes/throttled.ts
import { defineAgent, defineWorkflow } from 'reeve';
import * as z from 'zod';

const details = z.strictObject({ account: z.string() });
const report = z.strictObject({ reportId: z.string() });

const reports = defineAgent({
  name: 'reports',
  input: details,
  output: report,
  undo: 'unneeded',
  limits: {
    // Other workflows that use the agent are not limited by it.
    throttle: {
      key: ({ workflow }) => (workflow === 'monthly-report' ? workflow : null),
      rate: { count: 20, per: 60_000 },
    },
  },
});

export const monthlyReport = defineWorkflow({ name: 'monthly-report', version: 1, details })
  .step('create', { agent: reports, completeWithin: 30_000, input: (order) => order.details })
  .build();
