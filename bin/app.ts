#!/usr/bin/env node
/** The CDK app: `npx cdk deploy`. An agent is one file in lambdas/agents and one line here. */
import { App, Errors, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { ReeveError } from '#core/model/errors.ts';
import { shippedAgent } from '#infra/agents/shipped-agent.ts';
import { refuseUnknownParameters } from '#infra/parameter-names.ts';
import { ReeveStack } from '#infra/reeve-stack.ts';
import { readSettings } from '#infra/settings/settings.ts';

try {
  stack();
} catch (error) {
  // An invalid parameter is not a defect: its message is more useful than a stack trace.
  if (!(error instanceof ReeveError || Errors.isValidationError(error))) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
}

function stack(): void {
  // By default the app is synthesised when the process ends, where nothing catches what a synthesis refuses.
  const app = new App({ autoSynth: false });
  refuseUnknownParameters(app.node);
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
  app.synth();
}
