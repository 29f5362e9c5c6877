/** The shipped workflow with an agent that runs elsewhere. */
import { App } from 'aws-cdk-lib';
import { shippedAgent } from '#infra/agents/shipped-agent.ts';
import { ReeveStack } from '#infra/reeve-stack.ts';
import { readSettings } from '#infra/settings/settings.ts';

const app = new App();
const settings = readSettings(app.node);
new ReeveStack(app, 'PythonAgent', {
  stackName: 'reeve-python-agent',
  settings,
  workflows: 'lib/workflows/shipped.ts',
  agents: [
    shippedAgent('fraud'),
    shippedAgent('inventory'),
    { name: 'payment' },
    shippedAgent('shipping'),
  ],
});
