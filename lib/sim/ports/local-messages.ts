/** The messages of one process, which its in-process channels deliver: counted until each is settled, and checked. */

import type { Receipt } from '#checkers/answer-checker.ts';
import type { SlotChecker } from '#checkers/process/slot-checker.ts';
import { attemptOf } from '#checkers/send-checker.ts';
import type { AgentName, OrderId } from '#core/model/ids.ts';
import type { Nudge, Reply, Request } from '#core/model/message.ts';
import type { Channel, Channels, ReplyChannel } from '#ports/channels.ts';
import type { Delivery } from '#ports/delivery.ts';
import type { AgentRunner } from '#roles/agent/agent-runner.ts';
import type { Scheduler } from '#roles/scheduler.ts';
import type { Machine } from '#sim/world/machine.ts';
import type { SharedInfrastructure } from '#sim/world/shared-infrastructure.ts';
import { noteLateReply } from './delivery-routes.ts';

export interface LocalMessages {
  /** The channels as the roles have them. */
  channels(inner: Channels): Channels;
  replies(agent: AgentName, inner: ReplyChannel): ReplyChannel;
  /** The receiver of nudges and replies as the channels have it. */
  toScheduler(inner: Scheduler): Scheduler;
  /** The receiver of the requests of one agent. */
  runner(inner: AgentRunner): AgentRunner;
}

export interface LocalMessagesOptions {
  readonly shared: SharedInfrastructure;
  readonly machine: Machine;
  readonly slots: Pick<SlotChecker, 'sent' | 'ended'>;
  /** Called with the change in the number of messages that are not settled. */
  readonly count: (by: number) => void;
}

type Receive<Message> = (messages: readonly Message[]) => Promise<readonly Delivery[]>;
/** `then`: the revision of the order on receipt. */
type Acknowledged<Message> = (message: Message, then: Receipt) => void;

export function localMessages({
  shared,
  machine,
  slots,
  count,
}: LocalMessagesOptions): LocalMessages {
  const { rules, table } = shared;
  const { faults } = shared.around;
  const nudged = nudgeCount();
  const revisionOf = (orderId: OrderId) => table.record(orderId)?.revision ?? 0;

  function sending<Message>(
    { send }: Channel<Message>,
    onSend: (messages: readonly Message[]) => void,
    unsettled = (messages: readonly Message[]) => messages.length,
  ): Channel<Message> {
    return {
      async send(messages) {
        if (!machine.isAlive()) return;
        onSend(messages);
        count(unsettled(messages));
        await send(messages);
      },
    };
  }

  function receiving<Message extends { readonly orderId: OrderId }>(
    receive: Receive<Message>,
    acknowledged: Acknowledged<Message>,
    settled = (_message: Message) => 1,
  ): Receive<Message> {
    return async (messages) => {
      await new Promise<void>((resolve) => machine.whenAwake(resolve));
      const receivedAt = machine.clock.now();
      const then = messages.map(({ orderId }) => ({ revision: revisionOf(orderId), receivedAt }));
      const answers = await receive(messages);
      if (!machine.isAlive()) return answers;
      if (faults.strike('crash-before-acknowledging')) {
        machine.die();
        return answers;
      }
      for (const [at, message] of messages.entries()) {
        const kind = answers[at]?.kind;
        if (kind !== 'retry') count(-settled(message));
        const receipt = then[at];
        if (kind === 'done' && receipt !== undefined) acknowledged(message, receipt);
      }
      return answers;
    };
  }

  return {
    channels: ({ nudges, requests }) => ({
      nudges: sending(nudges, (sent) => rules.nudging(sent, machine), nudged.sent),
      requests: sending(requests, (sent) => {
        rules.requesting(sent, machine);
        slots.sent(sent);
      }),
    }),
    replies: (agent, inner) => sending(inner, (sent) => rules.replying(agent, sent, machine)),
    toScheduler: ({ onNudges, onReplies }) => ({
      onNudges: receiving<Nudge>(onNudges, rules.acknowledgedNudge, nudged.settled),
      onReplies: (agent, replies) =>
        receiving<Reply>(
          (received) => {
            for (const reply of received) noteLateReply(shared, reply);
            return onReplies(agent, received);
          },
          (reply) => rules.acknowledgedReply(agent, reply, machine),
        )(replies),
    }),
    runner({ handle, ...others }) {
      const receive = receiving<Request>(
        ([request]) => (request === undefined ? Promise.resolve([]) : one(request)),
        (request) => rules.acknowledgedRequest(request, machine),
      );
      const one = async (request: Request) => {
        const { orderId, step, attempt } = request;
        noteBegin(shared, attemptOf(orderId, step, attempt));
        rules.handling(request, machine);
        try {
          return [await handle(request)];
        } finally {
          slots.ended(request);
        }
      };
      return {
        ...others,
        handle: async (request) => (await receive([request]))[0] ?? { kind: 'retry' },
      };
    },
  };
}

/** Nudges of one order that wait are one message (lib/in-process/channels/message-queue.ts), so they are counted as one. */
function nudgeCount() {
  const waiting = new Set<OrderId>();
  return {
    sent(nudges: readonly Nudge[]): number {
      const before = waiting.size;
      for (const { orderId } of nudges) waiting.add(orderId);
      return waiting.size - before;
    },
    settled: ({ orderId }: Nudge): number => Number(waiting.delete(orderId)),
  };
}

function noteBegin({ begun, around }: SharedInfrastructure, id: string): void {
  if (!begun.has(id)) begun.set(id, around.timeline.now());
}
