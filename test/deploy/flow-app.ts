/** An app with two agents that call services, and one that runs elsewhere, so that a test can be silent for it. */
import { App } from 'aws-cdk-lib';
import { ReeveStack } from '#infra/reeve-stack.ts';
import { readSettings } from '#infra/settings/settings.ts';

const app = new App();
const callsService = true;
new ReeveStack(app, 'Flow', {
  stackName: 'reeve-flow',
  settings: readSettings(app.node),
  workflows: 'test/deploy/flow-workflows.ts',
  agents: [
    { name: 'packing', handler: 'test/deploy/packing-agent.ts', callsService },
    { name: 'billing', handler: 'test/deploy/billing-agent.ts', callsService },
    { name: 'courier' },
  ],
});
