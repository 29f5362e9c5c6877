// examples/recipes/app.ts

import { App } from 'aws-cdk-lib';
import { ReeveStack, readSettings } from 'reeve/cdk';

const app = new App();
const settings = readSettings(app.node);

new ReeveStack(app, 'Shop', {
  stackName: `shop-${settings.stage}`,
  settings,
  workflows: 'examples/recipes/workflows.ts',
  agents: [
    { name: 'fraud', module: 'examples/recipes/fraud-agent.ts', export: 'fraudAgent' },
    { name: 'payment' },
  ],
});
