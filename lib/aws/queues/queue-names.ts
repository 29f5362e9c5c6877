/**
 * The names of a deployment's queues. All begin with one prefix and follow one rule, so that a function knows
 * every queue by a single URL prefix: the URLs of all queues exceed the 4 KB that Lambda allows a function's
 * environment.
 *
 * `at` is the name prefix, or a queue URL cut off after it; the rule is the same for both.
 */
import type { Priority } from '#core/model/record.ts';

/** Not allowed in names of stacks, agents and channels, so that queue names stay distinct. */
const separator = '_';
/** SQS requires it at the end of a FIFO queue's name. */
const fifo = '.fifo';

const named = (at: string, ...parts: readonly string[]) => [at, ...parts].join(separator);

export const queueNames = {
  ready: (at: string, priority: Priority) => named(at, 'ready', priority),
  request: (at: string, agent: string, priority: Priority) => named(at, 'request', priority, agent),
  reply: (at: string, agent: string) => named(at, 'reply', agent),
  submission: (at: string) => named(at, 'submission'),
  webhook: (at: string, channel: string) => named(at, 'webhook', channel) + fifo,
  /** Notifications that could not be delivered yet. */
  retry: (at: string) => named(at, 'retry') + fifo,
} as const;

/** One dead-letter queue serves all priority classes. */
export const deadLetterNames = {
  ready: (at: string) => named(at, 'dead', 'ready'),
  request: (at: string, agent: string) => named(at, 'dead', 'request', agent),
  reply: (at: string, agent: string) => named(at, 'dead', 'reply', agent),
  submission: (at: string) => named(at, 'dead', 'submission'),
  webhook: (at: string, channel: string) => named(at, 'dead', 'webhook', channel) + fifo,
  retry: (at: string) => named(at, 'dead', 'retry') + fifo,
  /** Changes that the notifier could not read. */
  change: (at: string) => named(at, 'dead', 'change'),
  /** Alerts that EventBridge could not deliver to the operators' topic. */
  alert: (at: string) => named(at, 'dead', 'alert'),
  /** What the operators' topic could not deliver by e-mail. */
  mail: (at: string) => named(at, 'dead', 'mail'),
} as const;

/** Characters of the longest name without its prefix; names of agents and channels have up to 40. */
export const nameLengthMax = Math.max(
  queueNames.request('', 'x'.repeat(40), 'normal').length,
  deadLetterNames.webhook('', 'x'.repeat(40)).length,
);

/** The parts of a queue's name after the prefix; empty for a queue of another deployment. */
function partsOf(at: string, arn: string): readonly string[] {
  const prefix = `${at.slice(at.lastIndexOf('/') + 1)}${separator}`;
  const name = arn.slice(arn.lastIndexOf(':') + 1);
  return name.startsWith(prefix) ? name.slice(prefix.length).split(separator) : [];
}

/** The dead-letter queue's URL for the queue with this ARN; undefined when no function consumes that queue. */
export function deadLettersOf(at: string, arn: string): string | undefined {
  const [kind, ...rest] = partsOf(at, arn);
  const owner = rest.at(-1) ?? '';
  switch (kind) {
    case 'ready':
      return deadLetterNames.ready(at);
    case 'request':
      return deadLetterNames.request(at, owner);
    case 'reply':
      return deadLetterNames.reply(at, owner);
    case 'submission':
      return deadLetterNames.submission(at);
    default:
      return undefined;
  }
}

/** The agent whose reply queue has this ARN; undefined for a queue of another kind. */
export function replyingAgent(at: string, arn: string): string | undefined {
  const [kind, agent] = partsOf(at, arn);
  return kind === 'reply' ? agent : undefined;
}
