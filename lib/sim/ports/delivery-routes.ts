/** What takes the messages of each queue, and the checks of what it acknowledges. */

import type { Receipt } from '#checkers/answer-checker.ts';
import { attemptOf } from '#checkers/send-checker.ts';
import { notificationCodec } from '#core/codec/messages/change-codec.ts';
import { deadlineCheckCodec } from '#core/codec/messages/deadline-check-codec.ts';
import type { MessageCodec } from '#core/codec/messages/message-codec.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import { submissionCodec } from '#core/codec/messages/submission-codec.ts';
import type { Notification } from '#core/model/change.ts';
import type { AgentName, OrderId } from '#core/model/ids.ts';
import type { Reply } from '#core/model/message.ts';
import { findStep, underWay } from '#core/model/record.ts';
import type { Delivery } from '#ports/delivery.ts';
import { deliverMessages } from '#roles/queue-delivery.ts';
import { submissionDelivery } from '#roles/submission/submission-delivery.ts';
import type { Duty } from '#sim/world/fleet.ts';
import type { Host } from '#sim/world/host.ts';
import type { SharedInfrastructure } from '#sim/world/shared-infrastructure.ts';
import type { Queues } from './queues.ts';
import { firstSent, type SimMessage, type SimQueue } from './sim-queue.ts';
import { recordsOf } from './sim-table.ts';

/** What takes the messages of a queue. */
export interface Route {
  /** The kind of machine that takes them. */
  readonly duty: Duty;
  /** Returns the messages to acknowledge. */
  deliver(host: Host, messages: readonly SimMessage[]): Promise<readonly SimMessage[]>;
}

/** The route of each queue. */
export function routesOf(
  shared: SharedInfrastructure,
  queues: Queues,
): ReadonlyMap<SimQueue, Route> {
  const { rules, table } = shared;
  const routes = new Map<SimQueue, Route>();
  const revisions = () =>
    new Map(recordsOf(table).map(({ orderId, revision }) => [orderId, revision]));
  routes.set(queues.nudges, {
    duty: 'scheduler',
    deliver: route(queues.nudges, nudgeCodec, {
      revisions,
      receive: (host) => host.scheduler.onNudges,
      acknowledged: (nudge, _, { revisions: then, receivedAt }) =>
        rules.acknowledgedNudge(nudge, { revision: then.get(nudge.orderId) ?? 0, receivedAt }),
    }),
  });
  routes.set(queues.checks, {
    duty: 'supervisor',
    deliver: route(queues.checks, deadlineCheckCodec, {
      revisions: () => lateRevisions(shared),
      receive: (host) => host.onChecks,
      acknowledged: (check, _, { revisions: then }) =>
        rules.acknowledgedCheck(check, then.get(check.orderId)),
    }),
  });
  routes.set(queues.submissions, {
    duty: 'door',
    deliver: route(queues.submissions, submissionCodec, {
      receive: (host) => (messages) =>
        Promise.all(
          messages.map((message) =>
            submissionDelivery(host.queuedSubmission, message, 'ada', host.log),
          ),
        ),
      acknowledged: rules.acknowledgedSubmission,
    }),
  });
  routes.set(queues.retries, {
    duty: 'notifier',
    deliver: route(queues.retries, notificationCodec, {
      receive: (host) => (notifications) =>
        Promise.all(notifications.map((one) => retried(host, one))),
      acknowledged: () => {},
    }),
  });
  for (const [agent, queue] of queues.requests) {
    routes.set(queue, {
      duty: agent,
      deliver: route(queue, requestCodec, {
        receive: (host) => (requests, messages) =>
          Promise.all(
            requests.map((request, at) =>
              handled(host, agent, request, messages[at]?.receives === 1),
            ),
          ),
        acknowledged: (request, host) => rules.acknowledgedRequest(request, host.machine),
      }),
    });
  }
  for (const [agent, queue] of queues.replies) {
    routes.set(queue, {
      duty: 'scheduler',
      deliver: route(queue, replyCodec, {
        receive: (host) => (replies, messages) =>
          repliesReceived(shared, host, agent, { replies, messages }),
        acknowledged: (reply, host) => rules.acknowledgedReply(agent, reply, host.machine),
      }),
    });
  }
  return routes;

  async function handled(
    host: Host,
    agent: AgentName,
    request: Parameters<typeof rules.handling>[0],
    isFirst: boolean,
  ): Promise<Delivery> {
    const { orderId, step, attempt } = request;
    const id = attemptOf(orderId, step, attempt);
    if (shared.begun.has(id)) shared.limitChecks.repeated({ key: request.performKey, attempt });
    else {
      shared.begun.set(id, shared.around.timeline.now());
      shared.limitChecks.received(request);
    }
    rules.handling(request, host.machine);
    return host.runner(agent).handle(request, isFirst);
  }
}

interface ReplyBatch {
  readonly replies: readonly Reply[];
  readonly messages: readonly SimMessage[];
}

/** As lambdas/scheduler.ts. */
async function repliesReceived(
  shared: SharedInfrastructure,
  { scheduler, noteReplies }: Host,
  agent: AgentName,
  { replies, messages }: ReplyBatch,
): Promise<readonly Delivery[]> {
  for (const reply of replies) noteLateReply(shared, reply);
  const noted = noteReplies(agent, firstSent(messages));
  const deliveries = await scheduler.onReplies(agent, replies);
  await noted;
  return deliveries;
}

/** The revisions of the orders with a call that is late now. */
function lateRevisions({ table, around: { timeline } }: SharedInfrastructure) {
  const nowMs = timeline.now();
  const late = recordsOf(table).filter(({ steps }) =>
    steps.some(({ progress }) => underWay(progress) && progress.completeBy < nowMs),
  );
  return new Map(late.map(({ orderId, revision }) => [orderId, revision]));
}

/** As in lib/aws/queues/fifo-batch.ts: a failed message is retried. */
async function retried(host: Host, notification: Notification): Promise<Delivery> {
  try {
    await host.notifier.retry(notification);
    return { kind: 'done' };
  } catch {
    return { kind: 'retry' };
  }
}

/** Counts a reply whose attempt was taken over, or that the order no longer waits for. */
export function noteLateReply(
  { table, around: { faults } }: SharedInfrastructure,
  reply: Reply,
): void {
  const record = table.record(reply.orderId);
  const step = findStep(record ?? { steps: [] }, reply.step);
  if (record === undefined || step === undefined) return;
  const { state } = step.progress;
  const isBack = state === 'Undoing' || state === 'Undone';
  if (reply.attempt < step.attempt) faults.note('reply-after-takeover');
  if (reply.action === 'perform' && isBack) faults.note('reply-after-undo');
  if (record.processState === 'Processed' || record.processState === 'Undone') {
    faults.note('reply-after-the-end');
  }
}

type Revisions = ReadonlyMap<OrderId, number>;

/** What was known when a batch was received; see {@link Receipt}. */
interface BatchReceipt extends Pick<Receipt, 'receivedAt'> {
  readonly revisions: Revisions;
}

interface Reader<Message> {
  /** Read on receipt where `acknowledged` needs it. */
  readonly revisions?: () => Revisions;
  readonly receive: (
    host: Host,
  ) => (
    messages: readonly Message[],
    received: readonly SimMessage[],
  ) => Promise<readonly Delivery[]>;
  /** Checks an acknowledged message. */
  readonly acknowledged: (message: Message, host: Host, then: BatchReceipt) => void;
}

function route<Message>(
  queue: SimQueue,
  codec: MessageCodec<Message>,
  { receive, acknowledged, revisions }: Reader<Message>,
): Route['deliver'] {
  return async (host, messages) => {
    const parked = new Set<SimMessage>();
    const receivedAt = host.machine.clock.now();
    const then = { revisions: revisions?.() ?? new Map(), receivedAt };
    const decoded = new Map(messages.map(({ body }) => [body, codec.decode(body)]));
    const again = await deliverMessages(messages, {
      codec: { ...codec, decode: (body) => decoded.get(body) ?? codec.decode(body) },
      receive: receive(host),
      log: host.log,
      park: async (message, reason) => {
        await host.machine.call({
          what: `park ${message.messageId}: ${reason}`,
          refusal: 'queue-throttled',
          act: () => queue.park(message, reason),
        });
        parked.add(message);
      },
    });
    // Code that runs on after the death of its process acknowledges nothing.
    if (!host.machine.isAlive()) return [];
    const done = messages.filter((message) => !again.includes(message));
    for (const message of done) {
      const known = decoded.get(message.body);
      if (known?.kind === 'message' && !parked.has(message))
        acknowledged(known.message, host, then);
    }
    return done;
  };
}
