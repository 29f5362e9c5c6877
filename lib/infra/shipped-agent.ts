/** An agent of the shipped workflow, which calls a service over HTTP. */
import { Duration } from 'aws-cdk-lib';
import type { FunctionAgentProps } from './agent-channel.ts';
import type { Settings } from './settings.ts';

/** Answers nothing: a stack can be looked at before there is a service. */
const noService = (name: string) => `https://${name}.invalid`;
/** The longest `completeWithin` of the shipped steps is 5 s. */
const timeout = Duration.seconds(15);

export function shippedAgent(name: string, settings: Settings): FunctionAgentProps {
  const maxConcurrency = settings.concurrency[name];
  return {
    name,
    entry: `lambdas/agents/${name}.ts`,
    timeout,
    environment: { REEVE_SERVICE_URL: settings.services[name] ?? noService(name) },
    ...(maxConcurrency !== undefined && { maxConcurrency }),
  };
}
