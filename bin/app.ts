#!/usr/bin/env node
/** The CDK app: `npx cdk deploy`. An agent is one file in lambdas/agents and one line here. */
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { ReeveStack } from '#infra/reeve-stack.ts';
import { readSettings } from '#infra/settings.ts';
import { shippedAgent } from '#infra/shipped-agent.ts';

const app = new App();
const settings = readSettings(app.node);

new ReeveStack(app, 'Reeve', {
  stackName: `reeve-${settings.stage}`,
  settings,
  workflows: 'lib/workflows/shipped.ts',
  agents: [
    shippedAgent('fraud'),
    shippedAgent('inventory'),
    shippedAgent('payment'),
    shippedAgent('shipping'),
  ],
});
Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
