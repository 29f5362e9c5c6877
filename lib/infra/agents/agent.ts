/** What an application sees of an agent that it added. */
import type { IManagedPolicy } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { AgentChannel } from './agent-channel.ts';

/** An agent of a deployment. */
export interface Agent {
  /** Its name in its contract. */
  readonly name: string;
  /** The queues of its requests, by priority class. */
  readonly requests: Readonly<Record<string, IQueue>>;
  /** The queue of its replies. Only the agent may send to it: a reply is known by its queue. */
  readonly replies: IQueue;
  /** Its messages that could not be processed. */
  readonly deadLetters: { readonly requests: IQueue; readonly replies: IQueue };
}

/** An agent that Lambda invokes. */
export interface FunctionAgent extends Agent {
  /** Its function: give it the rights that its code needs. */
  readonly function: IFunction;
}

/** An agent that runs elsewhere. */
export interface QueueAgent extends Agent {
  /** Allows a role to take the agent's requests and to send its replies. Give it to no other program. */
  readonly policy: IManagedPolicy;
}

/** The agent with these queues. */
export function agentOf({ agent, requests, replies, consumer }: AgentChannel): Agent {
  const queues = requests.priorities.flatMap((priority, at): [string, IQueue][] => {
    const work = requests.all[at];
    return work === undefined ? [] : [[priority, work.queue]];
  });
  return {
    name: agent,
    requests: Object.fromEntries(queues),
    replies: replies.queue,
    deadLetters: { requests: requests.deadLetters, replies: replies.deadLetters },
    ...(consumer.kind === 'function' ? { function: consumer.worker } : { policy: consumer.policy }),
  };
}
