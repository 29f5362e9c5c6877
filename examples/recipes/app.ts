// examples/recipes/app.ts
import { App } from 'aws-cdk-lib';
import { shippedAgent } from '#infra/agents/shipped-agent.ts';
import { ReeveStack } from '#infra/reeve-stack.ts';
import { readSettings } from '#infra/settings/settings.ts';

const app = new App();
const settings = readSettings(app.node);

new ReeveStack(app, 'Shop', {
  stackName: `shop-${settings.stage}`,
  settings,
  workflows: 'lib/workflows/shipped.ts',
  agents: [
    shippedAgent('fraud'),
    shippedAgent('inventory'),
    { name: 'payment' },
    shippedAgent('shipping'),
  ],
});
