/**
 * The batch window: Lambda gathers the messages of the Scheduler's queues for so long before it invokes it. The queues of agents have
 * none: an agent's runner takes a request that waits for a sign that the agent is behind, and a slot of a rate would pass. They have full
 * batches all the same, because the Scheduler sends the requests of its batch together. The Scheduler's function knows the window: its
 * messages say nothing of the time then.
 */
import type { DeployedWorkflows } from '#infra/functions/deployed-workflows.ts';

/** Lambda's maximum (AWS::Lambda::EventSourceMapping, MaximumBatchingWindowInSeconds). */
export const batchWindowMaxSeconds = 300;
/** With few messages, Lambda may gather for so long, however short the window is (Lambda developer guide, "Using Lambda with Amazon SQS"). */
const quietWaitSeconds = 20;
/** The other half of `completeWithin` is for the call: a reply that is gathered beyond it counts as a timeout. */
const windowsPerCall = 2;

/**
 * An error text for each step whose replies the window would make late.
 *
 * @param path of the deployment
 * @param seconds the window; 0: none
 */
export function windowFaults(
  path: string,
  seconds: number,
  { calls }: Pick<DeployedWorkflows, 'calls'>,
): string[] {
  if (seconds === 0) return [];
  const least = windowsPerCall * Math.max(quietWaitSeconds, seconds);
  const late = calls.filter(({ completeWithinMs }) => completeWithinMs < least * 1_000);
  const texts = late.map(
    ({ step, workflow, completeWithinMs }) =>
      `\`batchWindowSeconds\` of ${path} is ${seconds}, with which replies may wait for ${least / windowsPerCall} s, but \`completeWithin\` of \`${step}\` of workflow ${workflow}, or of its undo, is ${completeWithinMs / 1_000} s. Make it ${least} s or more, or leave the window out.`,
  );
  return [...new Set(texts)];
}
