/** The shipped agents, one with limits, and one that runs elsewhere, so that a test can reply for it. */
import { App } from 'aws-cdk-lib';
import { shippedAgent } from '#infra/agents/shipped-agent.ts';
import { ReeveStack } from '#infra/reeve-stack.ts';
import { readSettings } from '#infra/settings/settings.ts';

const app = new App();
const settings = readSettings(app.node);
new ReeveStack(app, 'Rights', {
  stackName: 'reeve-rights',
  settings,
  workflows: 'test/deploy/rights/workflows.ts',
  agents: [
    shippedAgent('fraud'),
    shippedAgent('inventory'),
    shippedAgent('payment'),
    shippedAgent('shipping'),
    { name: 'counted', handler: 'test/deploy/rights/counted-agent.ts', callsService: true },
    { name: 'manual' },
  ],
});
