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
  const { queues: at, agents, webhooks } = output;
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
        deadLetterNames.request(at, agent),
        perClass((priority) => queueNames.request(at, agent, priority)),
      ),
    ],
    [
      `Agent-${agent}-Replies`,
      queue('reply', deadLetterNames.reply(at, agent), { normal: queueNames.reply(at, agent) }),
    ],
  ]);
  const ofWebhooks = webhooks.map((channel): [string, DeadLetterQueue] => [
    `Webhook-${channel}`,
    queue('status', deadLetterNames.webhook(at, channel), {
      normal: queueNames.webhook(at, channel),
    }),
  ]);
  const submitted = { normal: queueNames.submission(at) };
  const retried = { normal: queueNames.retry(at) };
  return {
    Ready: queue(
      'nudge',
      deadLetterNames.ready(at),
      perClass((priority) => queueNames.ready(at, priority)),
    ),
    ...Object.fromEntries([...ofAgents, ...ofWebhooks]),
    ...(output.submission && {
      Submission: queue('submission', deadLetterNames.submission(at), submitted),
    }),
    Notifications: queue('notification', deadLetterNames.retry(at), retried),
    Changes: queue('change', deadLetterNames.change(at), retried),
    Alerts: queue('change', deadLetterNames.alert(at), null),
    ...(output.mail && { Mail: queue('change', deadLetterNames.mail(at), null) }),
  };
}
