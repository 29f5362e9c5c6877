/**
 * The AsyncAPI 3 document of Reeve's channels, from the perspective of agents, submitters and operators. The
 * schemas beside it describe the messages.
 */
import { alertDetailType, eventSource, statusDetailType } from '#aws/notifications/event-names.ts';
import { fileOf, type MessageName, type MessageSchema } from './messages.ts';

interface Channel {
  readonly address: string | null;
  readonly title: string;
  readonly description: string;
  readonly message: MessageName;
  /** Descriptions of the address's parameters. */
  readonly parameters?: Readonly<Record<string, string>>;
}

const agent = { agent: 'The name of the agent, as in its contract.' };

const channels: Readonly<Record<string, Channel>> = {
  requests: {
    address: 'requests-{agent}',
    title: 'Requests to an agent',
    description:
      'On AWS an SQS queue for each priority class: its URL is in the output of the agent (AgentPayment for `payment`), or in the environment of a function. Messages arrive at least once, in any order. Delete a message when it is answered or needs no answer; leave an unreadable message for its dead-letter queue.',
    message: 'request',
    parameters: agent,
  },
  replies: {
    address: 'replies-{agent}',
    title: 'Replies of an agent',
    description:
      'On AWS an SQS queue that only this agent may send to, so that the queue identifies the sender.',
    message: 'reply',
    parameters: agent,
  },
  responses: {
    address: '{replyTo}',
    title: 'Status messages to a submitter',
    description:
      'A response channel, registered at deployment under the name in `replyTo`; on AWS an SQS queue of yours or a webhook, in one process a webhook: a POST signed according to Standard Webhooks. Every change of state arrives at least once. The field sequence gives the order of changes; webhooks deliver in that order.',
    message: 'status',
    parameters: { replyTo: 'The name under which the channel is registered.' },
  },
  events: {
    address: null,
    title: 'Status messages by the bus',
    description: `Events on EventBridge of source "${eventSource}" and detail type "${statusDetailType}", for a response channel that is registered as events; the payload is their detail.`,
    message: 'status-event',
  },
  submissions: {
    address: null,
    title: 'Submissions by queue',
    description:
      'Optional on AWS: its URL is the output SubmissionQueueUrl. A rejected submission becomes a dead letter, with the reason in the attribute Reason.',
    message: 'submission',
  },
  alerts: {
    address: null,
    title: 'Orders in Error',
    description: `Events on EventBridge of source "${eventSource}" and detail type "${alertDetailType}"; the payload is their detail.`,
    message: 'alert',
  },
};

const operations = {
  takeRequest: {
    action: 'receive',
    channel: 'requests',
    reply: 'replies',
    summary: 'Take a request',
    description:
      'The agent takes one try of a step, and replies before the deadline at the latest.',
  },
  heartbeat: {
    action: 'send',
    channel: 'replies',
    summary: 'Send a heartbeat',
    description: 'The agent reports that it is still working on a request. Optional.',
  },
  hearStatus: {
    action: 'receive',
    channel: 'responses',
    summary: 'Receive status messages',
    description: 'The submitter receives every change of state of its orders.',
  },
  hearEvent: {
    action: 'receive',
    channel: 'events',
    summary: 'Receive status events',
    description: 'The submitter receives the same changes as events of EventBridge.',
  },
  submit: {
    action: 'send',
    channel: 'submissions',
    summary: 'Submit an order',
    description: 'The submitter submits an order by queue instead of the API.',
  },
  hearAlert: {
    action: 'receive',
    channel: 'alerts',
    summary: 'Receive alerts',
    description: 'The operator receives an alert for every order in Error.',
  },
} as const;

export function asyncApi(schemas: Readonly<Record<string, MessageSchema>>): object {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Reeve',
      version: '1',
      description:
        'The messages that agents, submitters and operators exchange with Reeve, from their side. A message may arrive late, more than once or out of order. Ignore fields that you do not know.',
      // A reserved domain, because the operator of a deployment is not known here.
      contact: {
        name: 'The operator of this Reeve',
        url: 'https://reeve.example.com',
        email: 'operator@reeve.example.com',
      },
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
      tags: [{ name: 'Reeve', description: 'All channels belong to Reeve.' }],
    },
    servers: {
      sqs: {
        host: 'sqs.{region}.amazonaws.com',
        protocol: 'sqs',
        description:
          'SQS in the region of the stack, for all channels that are queues. Events are on EventBridge, webhooks at the address registered at deployment.',
        variables: { region: { description: 'The AWS region of the stack.' } },
      },
    },
    defaultContentType: 'application/json',
    channels: mapValues(channels, channelOf),
    operations: mapValues(operations, operationOf),
    components: {
      messages: mapValues(schemas, ({ title = '', description = '' }, name) => ({
        name,
        title,
        summary: description,
        payload: {
          schemaFormat: 'application/schema+json;version=draft-2020-12',
          schema: { $ref: `./${fileOf(name)}` },
        },
      })),
    },
  };
}

function channelOf({ address, title, description, message, parameters }: Channel): object {
  return {
    address,
    title,
    description,
    messages: { [message]: { $ref: `#/components/messages/${message}` } },
    ...(parameters !== undefined && {
      parameters: mapValues(parameters, (text) => ({ description: text })),
    }),
  };
}

interface Operation {
  readonly action: 'send' | 'receive';
  readonly channel: string;
  readonly reply?: string;
  readonly summary: string;
  readonly description: string;
}

function operationOf({ action, channel, reply, summary, description }: Operation): object {
  return {
    action,
    summary,
    description,
    ...carriedBy(channel),
    ...(reply !== undefined && { reply: carriedBy(reply) }),
  };
}

function carriedBy(channel: string): object {
  const message = channels[channel]?.message;
  return {
    channel: { $ref: `#/channels/${channel}` },
    messages: [{ $ref: `#/channels/${channel}/messages/${message}` }],
  };
}

function mapValues<From>(
  values: Readonly<Record<string, From>>,
  to: (value: From, name: string) => object,
): Record<string, object> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, to(value, name)]));
}
