/** An app with two agents that have limits. */
import { App } from 'aws-cdk-lib';
import { ReeveStack } from '#infra/reeve-stack.ts';
import { readSettings } from '#infra/settings/settings.ts';

const app = new App();
const callsService = true;
new ReeveStack(app, 'Limits', {
  stackName: 'reeve-limits',
  settings: readSettings(app.node),
  workflows: 'test/deploy/limits/workflows.ts',
  agents: [
    { name: 'paced', handler: 'test/deploy/limits/paced-agent.ts', callsService },
    { name: 'shared', handler: 'test/deploy/limits/shared-agent.ts', callsService },
  ],
});
