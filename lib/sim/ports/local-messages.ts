/** The messages of one process, which its in-process channels deliver: counted until each is settled, and checked. */

import { attemptOf } from '#checkers/send-checker.ts';
import type { SlotChecker } from '#checkers/slot-checker.ts';
import type { AgentName, OrderId } from '#core/model/ids.ts';
import type { Nudge, Reply, Request } from '#core/model/message.ts';
import type { Channel, Channels, ReplyChannel } from '#ports/channels.ts';
import type { Delivery } from '#ports/delivery.ts';
import type { AgentRunner } from '#roles/agent-runner.ts';
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
type Acknowledged<Message> = (message: Message, then: number) => void;

export function localMessages({
  shared,
  machine,
  slots,
  count,
}: LocalMessagesOptions): LocalMessages {
  const { rules, table, begun } = shared;
  const { faults, timeline } = shared.around;
  const revisionOf = (orderId: OrderId) => table.record(orderId)?.revision ?? 0;

  function sending<Message>(
    { send }: Channel<Message>,
    onSend: (messages: readonly Message[]) => void,
  ): Channel<Message> {
    return {
      async send(messages) {
        if (!machine.isAlive()) return;
        onSend(messages);
        count(messages.length);
        await send(messages);
      },
    };
  }

  function receiving<Message extends { readonly orderId: OrderId }>(
    receive: Receive<Message>,
    acknowledged: Acknowledged<Message>,
  ): Receive<Message> {
    return async (messages) => {
      await new Promise<void>((resolve) => machine.whenAwake(resolve));
      const then = messages.map(({ orderId }) => revisionOf(orderId));
      const answers = await receive(messages);
      if (!machine.isAlive()) return answers;
      if (faults.strike('crash-before-acknowledging')) {
        machine.die();
        return answers;
      }
      for (const [at, message] of messages.entries()) {
        const kind = answers[at]?.kind;
        if (kind !== 'retry') count(-1);
        if (kind === 'done') acknowledged(message, then[at] ?? 0);
      }
      return answers;
    };
  }

  return {
    channels: ({ nudges, requests }) => ({
      nudges: sending(nudges, (sent) => rules.nudging(sent, machine)),
      requests: sending(requests, (sent) => {
        rules.requesting(sent, machine);
        slots.sent(sent);
      }),
    }),
    replies: (agent, inner) => sending(inner, (sent) => rules.replying(agent, sent, machine)),
    toScheduler: ({ onNudges, onReplies }) => ({
      onNudges: receiving<Nudge>(onNudges, (nudge, then) =>
        rules.acknowledgedNudge(nudge, then, machine),
      ),
      onReplies: (agent, replies) =>
        receiving<Reply>(
          (received) => {
            for (const reply of received) noteLateReply(shared, reply);
            return onReplies(agent, received);
          },
          (reply) => rules.acknowledgedReply(agent, reply, machine),
        )(replies),
    }),
    runner({ handle }) {
      const receive = receiving<Request>(
        ([request]) => (request === undefined ? Promise.resolve([]) : one(request)),
        (request) => rules.acknowledgedRequest(request, machine),
      );
      const one = async (request: Request) => {
        const { orderId, step, attempt } = request;
        const id = attemptOf(orderId, step, attempt);
        if (!begun.has(id)) begun.set(id, timeline.now());
        rules.handling(request, machine);
        try {
          return [await handle(request)];
        } finally {
          slots.ended(request);
        }
      };
      return {
        async handle(request) {
          const [delivery] = await receive([request]);
          return delivery ?? { kind: 'retry' };
        },
      };
    },
  };
}
