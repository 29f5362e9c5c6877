// examples/recipes/app.ts

import { App } from 'aws-cdk-lib';
import { ReeveStack, readSettings } from 'reeve/cdk';
import { shippedAgent } from '#infra/agents/shipped-agent.ts';

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
