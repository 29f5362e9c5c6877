/**
 * Compares the timeouts of functions with the steps that they perform. Neither a longer `completeWithin` nor heartbeats prolong
 * an invocation. A call that goes on at the timeout is broken off, and what it would have returned is lost.
 */
import { Annotations } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { AgentChannel } from '#infra/agents/agent-channel.ts';
import type { DeployedWorkflows } from '#infra/functions/deployed-workflows.ts';

/**
 * Warns of each agent whose function ends before the longest of its calls may. Not an error: calls are usually shorter than
 * their deadline.
 */
export function warnOfTimeouts(
  scope: Construct,
  channels: readonly Pick<AgentChannel, 'agent' | 'consumer' | 'timeout'>[],
  { calls }: Pick<DeployedWorkflows, 'calls'>,
): void {
  for (const { agent, consumer, timeout } of channels) {
    const [longest] = calls
      .filter((call) => call.agent === agent)
      .toSorted((one, other) => other.longestMs - one.longestMs);
    if (longest === undefined || consumer.kind !== 'function' || timeout.isUnresolved()) continue;
    const { step, workflow, longestMs } = longest;
    if (longestMs <= timeout.toMilliseconds()) continue;
    Annotations.of(scope).addWarningV2(
      `reeve:timeout-${agent}`,
      `A call of \`${step}\` of workflow ${workflow}, or its undo, may take ${longestMs / 1_000} s (\`completeWithin\`, with heartbeats \`maxDuration\`), but the function of its agent \`${agent}\` of ${scope.node.path} ends after ${timeout.toSeconds()} s, and breaks off a call that takes longer. Give the agent a \`timeout\` of at least that time, at most 15 minutes, or let an agent that works for longer run elsewhere.`,
    );
  }
}
