/**
 * The names of a deployment's queues. All begin with one prefix and follow one rule, so that a function knows
 * every queue by a single URL prefix: the URLs of all queues exceed the 4 KB that Lambda allows a function's
 * environment.
 *
 * `base` is the name prefix, or a queue URL cut off after it; the rule is the same for both.
 */
import type { Priority } from '#core/model/record.ts';

/** Not allowed in names of stacks, agents and channels, so that queue names stay distinct. */
const separator = '_';
/** SQS requires it at the end of a FIFO queue's name. */
const fifo = '.fifo';

const named = (base: string, ...parts: readonly string[]) => [base, ...parts].join(separator);

export const queueNames = {
  ready: (base: string, priority: Priority) => named(base, 'ready', priority),
  request: (base: string, agent: string, priority: Priority) =>
    named(base, 'request', priority, agent),
  reply: (base: string, agent: string) => named(base, 'reply', agent),
  /** Deadline checks. */
  check: (base: string) => named(base, 'check'),
  submission: (base: string) => named(base, 'submission'),
  webhook: (base: string, channel: string) => named(base, 'webhook', channel) + fifo,
  /** Notifications that could not be delivered yet. */
  retry: (base: string) => named(base, 'retry') + fifo,
} as const;

/** One dead-letter queue serves all priority classes. */
export const deadLetterNames = {
  ready: (base: string) => named(base, 'dead', 'ready'),
  request: (base: string, agent: string) => named(base, 'dead', 'request', agent),
  reply: (base: string, agent: string) => named(base, 'dead', 'reply', agent),
  check: (base: string) => named(base, 'dead', 'check'),
  submission: (base: string) => named(base, 'dead', 'submission'),
  webhook: (base: string, channel: string) => named(base, 'dead', 'webhook', channel) + fifo,
  retry: (base: string) => named(base, 'dead', 'retry') + fifo,
  /** Changes that the notifier could not read. */
  change: (base: string) => named(base, 'dead', 'change'),
  /** Alerts that EventBridge could not deliver to the operators' topic. */
  alert: (base: string) => named(base, 'dead', 'alert'),
  /** What the operators' topic could not deliver by e-mail. */
  mail: (base: string) => named(base, 'dead', 'mail'),
} as const;

/** Characters of the longest name without its prefix; names of agents and channels have up to 40. */
export const nameLengthMax = Math.max(
  queueNames.request('', 'x'.repeat(40), 'normal').length,
  deadLetterNames.webhook('', 'x'.repeat(40)).length,
);

/** The parts of a queue's name after the prefix; empty for a queue of another deployment. */
function partsOf(base: string, arn: string): readonly string[] {
  const prefix = `${base.slice(base.lastIndexOf('/') + 1)}${separator}`;
  const name = arn.slice(arn.lastIndexOf(':') + 1);
  return name.startsWith(prefix) ? name.slice(prefix.length).split(separator) : [];
}

/** The dead-letter queue's URL for the queue with this ARN; undefined when no function consumes that queue. */
export function deadLettersOf(base: string, arn: string): string | undefined {
  const [kind, ...rest] = partsOf(base, arn);
  const owner = rest.at(-1) ?? '';
  switch (kind) {
    case 'ready':
      return deadLetterNames.ready(base);
    case 'request':
      return deadLetterNames.request(base, owner);
    case 'reply':
      return deadLetterNames.reply(base, owner);
    case 'check':
      return deadLetterNames.check(base);
    case 'submission':
      return deadLetterNames.submission(base);
    default:
      return undefined;
  }
}

/** The agent whose reply queue has this ARN; undefined for a queue of another kind. */
export function replyingAgent(base: string, arn: string): string | undefined {
  const [kind, agent] = partsOf(base, arn);
  return kind === 'reply' ? agent : undefined;
}
