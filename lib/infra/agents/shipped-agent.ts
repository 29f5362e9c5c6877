/** An agent of the shipped workflow, which calls a service over HTTP. */
import { Duration } from 'aws-cdk-lib';
import type { FunctionAgentProps } from './agent-channel.ts';

/** The longest `completeWithin` of the shipped steps is 5 s. */
const timeout = Duration.seconds(15);

/** @param name the name of the agent; its file is `lambdas/agents/NAME.ts` */
export const shippedAgent = (name: string): FunctionAgentProps => ({
  name,
  entry: `lambdas/agents/${name}.ts`,
  timeout,
  callsService: true,
});
