/** The dead-letter queues of a stack, derived from its output DeadLetters. */
import * as z from 'zod';
import { deadLetterNames, queueNames } from '#aws/queues/queue-names.ts';
import { type PriorityQueues, queuesOf } from '#aws/queues/queue-of-priority.ts';
import { ReeveError } from '#core/model/errors.ts';
import { type Priority, priorities } from '#core/model/record.ts';
import type { DeadLetterKind } from '#core/view/dead-letter.ts';

interface DeadLetterQueue {
  readonly kind: DeadLetterKind;
  readonly dead: string;
  /** The queues that the dead letters came from; null: not from a queue. */
  readonly sources: PriorityQueues | null;
}
/** By the names that alarms and `reeve dlq` use. */
export type DeadLetterQueues = Readonly<Record<string, DeadLetterQueue>>;

/** The content of the output DeadLetters; all queue names follow from it. */
const outputSchema = z.object({
  /** The common prefix of all queue URLs. */
  queues: z.url(),
  priorities: z.array(z.enum(priorities)),
  agents: z.array(z.string()),
  webhooks: z.array(z.string()),
  /** Missing in the output of older releases. */
  checks: z.boolean().default(false),
  submission: z.boolean(),
  mail: z.boolean(),
});

/** @throws {ReeveError} `outputs-unknown` when the output has another form */
export function deadLetterQueues(output: string): DeadLetterQueues {
  try {
    return queuesNamedBy(outputSchema.parse(JSON.parse(output)));
  } catch (cause) {
    throw new ReeveError(
      'outputs-unknown',
      'The output DeadLetters of the stack cannot be read. Check that this version of Reeve deployed the stack.',
      { cause },
    );
  }
}

function queuesNamedBy(output: z.infer<typeof outputSchema>): DeadLetterQueues {
  const { queues: base, agents, webhooks } = output;
  const perClass = (name: (priority: Priority) => string) => queuesOf(output.priorities, name);
  const queue = (kind: DeadLetterKind, dead: string, sources: PriorityQueues | null) => ({
    kind,
    dead,
    sources,
  });
  const ofAgents = agents.flatMap((agent): [string, DeadLetterQueue][] => [
    [
      `Agent-${agent}-Requests`,
      queue(
        'request',
        deadLetterNames.request(base, agent),
        perClass((priority) => queueNames.request(base, agent, priority)),
      ),
    ],
    [
      `Agent-${agent}-Replies`,
      queue('reply', deadLetterNames.reply(base, agent), { normal: queueNames.reply(base, agent) }),
    ],
  ]);
  const ofWebhooks = webhooks.map((channel): [string, DeadLetterQueue] => [
    `Webhook-${channel}`,
    queue('status', deadLetterNames.webhook(base, channel), {
      normal: queueNames.webhook(base, channel),
    }),
  ]);
  const submitted = { normal: queueNames.submission(base) };
  const retried = { normal: queueNames.retry(base) };
  return {
    Ready: queue(
      'nudge',
      deadLetterNames.ready(base),
      perClass((priority) => queueNames.ready(base, priority)),
    ),
    ...Object.fromEntries([...ofAgents, ...ofWebhooks]),
    ...(output.checks && {
      Checks: queue('deadline-check', deadLetterNames.check(base), {
        normal: queueNames.check(base),
      }),
    }),
    ...(output.submission && {
      Submission: queue('submission', deadLetterNames.submission(base), submitted),
    }),
    Notifications: queue('notification', deadLetterNames.retry(base), retried),
    Changes: queue('change', deadLetterNames.change(base), retried),
    Alerts: queue('change', deadLetterNames.alert(base), null),
    ...(output.mail && { Mail: queue('change', deadLetterNames.mail(base), null) }),
  };
}
