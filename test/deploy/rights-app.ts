/** The shipped agents, and one that is no function, so that a test may reply in its place. */
import { App } from 'aws-cdk-lib';
import { ReeveStack } from '#infra/reeve-stack.ts';
import { readSettings } from '#infra/settings.ts';
import { shippedAgent } from '#infra/shipped-agent.ts';

const app = new App();
const settings = readSettings(app.node);
new ReeveStack(app, 'Rights', {
  stackName: 'reeve-rights',
  settings,
  workflows: 'test/deploy/rights/two-branches.ts',
  agents: [
    shippedAgent('fraud'),
    shippedAgent('inventory'),
    shippedAgent('payment'),
    shippedAgent('shipping'),
    { name: 'manual' },
  ],
});
