/** The messages in the queues of the emulator, without receiving them: how many, and how long the oldest has waited. */
import * as z from 'zod';
import type { MiniStack } from '../../test/deploy/ministack.ts';

/** What MiniStack shows of a message. */
const messageSchema = z.object({
  Body: z.string(),
  IsVisible: z.boolean(),
  ReceiveCount: z.int(),
  Attributes: z.object({ SentTimestamp: z.coerce.number() }),
});
const queuesSchema = z.object({
  // By account, region and address.
  messages: z.record(
    z.string(),
    z.record(z.string(), z.record(z.string(), z.array(messageSchema))),
  ),
});

export interface QueueState {
  readonly name: string;
  /** That were received, or can be. */
  readonly messages: number;
  /** That cannot be received yet, because they were sent with a delay. */
  readonly delayed: number;
  /** The age of the oldest of `messages`, ms; 0: there is none. */
  readonly oldestMs: number;
}

/** Nothing delivers the messages of a dead-letter queue. */
export const isDead = ({ name }: QueueState): boolean => name.startsWith('dead_');

/** @param now ms since the epoch */
export async function queueStates(
  { endpoint }: MiniStack,
  now: () => number,
): Promise<readonly QueueState[]> {
  const answer = await fetch(`${endpoint}/_ministack/sqs/messages`);
  const body = await answer.json();
  const at = now();
  const queues = Object.values(queuesSchema.parse(body).messages)
    .flatMap((regions) => Object.values(regions))
    .flatMap((byUrl) => Object.entries(byUrl));
  return queues.map(([url, messages]) => {
    const onTheirWay = messages.filter(
      ({ IsVisible, ReceiveCount }) => IsVisible || ReceiveCount > 0,
    );
    const ages = onTheirWay.map((message) => at - dueAt(message));
    return {
      name: nameOf(url),
      messages: onTheirWay.length,
      delayed: messages.length - onTheirWay.length,
      oldestMs: ages.reduce((most, age) => Math.max(most, age), 0),
    };
  });
}

/** A nudge that was sent with a delay says when it is due (lib/core/codec/messages/nudge-codec.ts). */
const delayedSchema = z.object({ at: z.number() });

/** When a message could be received first, ms since the epoch. */
function dueAt({ Body, Attributes: { SentTimestamp: sentAt } }: z.infer<typeof messageSchema>) {
  const { data } = delayedSchema.safeParse(JSON.parse(Body));
  return Math.max(sentAt, data?.at ?? 0);
}

/** Without the prefix of the deployment. */
function nameOf(url: string): string {
  const name = url.slice(url.lastIndexOf('/') + 1);
  return name.slice(name.indexOf('_') + 1);
}
