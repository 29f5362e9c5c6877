/** Another app over the same stack: its own workflow, and an agent of one file. */
import { App } from 'aws-cdk-lib';
import { ReeveStack } from '#infra/reeve-stack.ts';
import { readSettings } from '#infra/settings/settings.ts';

const app = new App();
new ReeveStack(app, 'LongChain', {
  stackName: 'reeve-long-chain',
  settings: readSettings(app.node),
  workflows: 'test/deploy/long-chain.ts',
  agents: [
    { name: 'echo', handler: 'test/deploy/echo-agent.ts' },
    { name: 'filler', handler: 'test/deploy/filler-agent.ts' },
  ],
});
