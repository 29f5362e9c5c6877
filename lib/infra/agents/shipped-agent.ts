/** An agent of the shipped workflow, which calls a service over HTTP. */
import { Duration } from 'aws-cdk-lib';
import type { StackAgentProps } from './configured-agents.ts';

/** The longest `completeWithin` of the shipped steps is 5 s. */
const timeout = Duration.seconds(15);

/** @param name the name of the agent; its file is `lambdas/agents/NAME.ts` */
export const shippedAgent = (name: string): StackAgentProps => ({
  name,
  handler: `lambdas/agents/${name}.ts`,
  timeout,
  callsService: true,
});
