/** Checks the replies of agents, and the acknowledgement of every message. */

import type { SubmissionMessage } from '#core/codec/messages/submission-codec.ts';
import type { AgentName, OrderId } from '#core/model/ids.ts';
import { canonicalJson } from '#core/model/json.ts';
import type { Nudge, Reply, Request } from '#core/model/message.ts';
import { callPolicy } from '#core/model/policy.ts';
import { findStep, type Order, type ProcessRecord, underWay } from '#core/model/record.ts';
import { attemptOf } from './send-checker.ts';
import type { Breach } from './violation.ts';

/** The process that handles a message, with a clock that may be wrong. */
interface Worker {
  readonly name: string;
  readonly clock: { now(): number };
}

/** What a worker knew when it received a message. */
export interface Receipt {
  /** Of the order of the message. */
  readonly revision: number;
  /** By its clock, ms since the epoch. */
  readonly receivedAt: number;
}

/** The content of the store. */
export interface Stored {
  record(orderId: OrderId): ProcessRecord | undefined;
  order(orderId: OrderId): Order | undefined;
  orderIds(): readonly OrderId[];
}

/** See {@link answerChecker}. */
export type AnswerChecker = ReturnType<typeof answerChecker>;

/** @param clocksAgree whether all clocks were right until now: some rules can be checked only then */
export function answerChecker(table: Stored, clocksAgree: () => boolean, breach: Breach) {
  /** By worker and attempt: until when it may reply, and the end of the attempt. */
  const lateAfter = new Map<string, { until: number; endBy: number }>();
  /** The number of final replies of an attempt that were sent. */
  const replies = new Map<string, number>();
  const count = (id: string, by: number) => replies.set(id, (replies.get(id) ?? 0) + by);
  const recordedStep = ({ orderId, step }: Pick<Reply, 'orderId' | 'step'>) =>
    findStep(table.record(orderId) ?? { steps: [] }, step);

  return {
    handling({ orderId, step, attempt, completeBy, endBy }: Request, worker: Worker) {
      const id = `${worker.name} ${attemptOf(orderId, step, attempt)}`;
      const until = Math.max(completeBy, lateAfter.get(id)?.until ?? 0);
      lateAfter.set(id, { until, endBy });
    },
    /**
     * R7: an agent sends no reply and no heartbeat after complete-by, as its own heartbeats have moved it, except that its attempt did
     * not begin.
     */
    replying(agent: AgentName, sent: readonly Reply[], worker: Worker) {
      const nowMs = worker.clock.now();
      for (const reply of sent) {
        const id = attemptOf(reply.orderId, reply.step, reply.attempt);
        const own = `${worker.name} ${id}`;
        const { until, endBy } = lateAfter.get(own) ?? { until: 0, endBy: 0 };
        if (nowMs > until && reply.result.kind !== 'deferred')
          breach('R7', `${agent} sent a ${reply.result.kind} for ${id} after complete-by`);
        if (reply.result.kind === 'heartbeat') {
          const policy = recordedStep(reply)?.policy;
          const withinMs = policy && callPolicy(policy, reply.action).completeWithinMs;
          const later = Math.min(nowMs + (withinMs ?? 0), endBy);
          lateAfter.set(own, { until: Math.max(until, later), endBy });
        } else {
          count(`${id} ${reply.action}`, 1);
        }
      }
    },
    /** The channel did not accept them. */
    unanswered(unsent: readonly Reply[]) {
      for (const { orderId, step, attempt, action, result } of unsent) {
        const id = `${attemptOf(orderId, step, attempt)} ${action}`;
        if (result.kind !== 'heartbeat') count(id, -1);
      }
    },
    /**
     * R19: a nudge is acknowledged only when its order was claimed, or needed no claim on receipt. One that came before its
     * instant is not acknowledged while its order waits for that instant.
     */
    acknowledgedNudge({ orderId, at }: Nudge, { revision, receivedAt }: Receipt) {
      const record = table.record(orderId);
      if (!clocksAgree() || record?.revision !== revision) return;
      const isAwaited = record.notBefore === at;
      if (record.processState !== 'Pending') return;
      if (record.notBefore > receivedAt && !isAwaited) return;
      breach('R19', `a nudge for ${orderId} was acknowledged, and the order is unclaimed`);
    },
    /** R19: a request is acknowledged only after its reply or its complete-by. */
    acknowledgedRequest(request: Request, worker: Worker) {
      const { orderId, step, attempt, action, completeBy } = request;
      if (!clocksAgree() || worker.clock.now() > completeBy) return;
      const id = `${attemptOf(orderId, step, attempt)} ${action}`;
      if ((replies.get(id) ?? 0) <= 0) breach('R19', `${id} was acknowledged without a reply`);
    },
    /** R19: a reply is acknowledged only when it is recorded, or outdated. `agent`: whose channel it came by. */
    acknowledgedReply(agent: AgentName, reply: Reply, worker: Worker) {
      const step = recordedStep(reply);
      if (!clocksAgree() || reply.result.kind === 'heartbeat') return;
      if (step?.attempt !== reply.attempt || step.agent !== agent) return;
      const { progress } = step;
      const awaited = underWay(progress) && progress.completeBy >= worker.clock.now();
      const isOf = progress.state === (reply.action === 'undo' ? 'Undoing' : 'Running');
      if (awaited && isOf) {
        breach('R19', `a reply of ${step.name} was acknowledged, and not recorded`);
      }
    },
    /** R19: a submission is acknowledged only when an order with its details exists, or one for which it may have been skipped. */
    acknowledgedSubmission({ key, details, workflow }: SubmissionMessage) {
      const text = canonicalJson(details);
      const isThere = table.orderIds().some((orderId) => {
        const order = table.order(orderId);
        const record = table.record(orderId);
        const mayBeForIt = record?.turn !== undefined && record.workflow === workflow;
        return mayBeForIt || (order !== undefined && canonicalJson(order.details) === text);
      });
      if (!isThere) breach('R19', `the submission ${key} was acknowledged, and has no order`);
    },
  };
}
