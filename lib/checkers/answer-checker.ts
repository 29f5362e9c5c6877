/** What must hold of agents and their answers, and of every message that its queue is told to forget. */

import type { SubmissionMessage } from '#core/codec/message-codec.ts';
import type { AgentName, OrderId } from '#core/model/ids.ts';
import { canonicalJson } from '#core/model/json.ts';
import type { Nudge, Reply, Request } from '#core/model/message.ts';
import { findStep, type Order, type ProcessRecord, underWay } from '#core/model/record.ts';
import { attemptOf } from './send-checker.ts';
import type { Breach } from './violation.ts';

/** The process that works on a message, with a clock that may be wrong. */
interface Worker {
  readonly name: string;
  readonly clock: { now(): number };
}

/** What is stored now. */
export interface Stored {
  record(orderId: OrderId): ProcessRecord | undefined;
  order(orderId: OrderId): Order | undefined;
  orderIds(): readonly OrderId[];
}

export type AnswerChecker = ReturnType<typeof answerChecker>;

/** @param clocksAgree whether all clocks were right until now: some rules can only be told then */
export function answerChecker(table: Stored, clocksAgree: () => boolean, breach: Breach) {
  /** By worker and attempt: until when it may answer, and the attempt's end. */
  const lateAfter = new Map<string, { until: number; endBy: number }>();
  /** How many final answers of an attempt are on their way or have arrived. */
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
    /** R7: an agent says nothing of an attempt after complete-by, as its own heartbeats have moved it. */
    replying(agent: AgentName, sent: readonly Reply[], worker: Worker) {
      const now = worker.clock.now();
      for (const reply of sent) {
        const id = attemptOf(reply.orderId, reply.step, reply.attempt);
        const own = `${worker.name} ${id}`;
        const { until, endBy } = lateAfter.get(own) ?? { until: 0, endBy: 0 };
        if (reply.result.kind === 'heartbeat') {
          const within = recordedStep(reply)?.policy.completeWithinMs ?? 0;
          const later = Math.min(now + within, endBy);
          lateAfter.set(own, { until: Math.max(until, later), endBy });
        } else {
          count(`${id} ${reply.action}`, 1);
          if (now > until) breach('R7', `${agent} spoke of ${id} after complete-by`);
        }
      }
    },
    /** A channel did not take them. */
    unanswered(unsent: readonly Reply[]) {
      for (const { orderId, step, attempt, action, result } of unsent) {
        const id = `${attemptOf(orderId, step, attempt)} ${action}`;
        if (result.kind !== 'heartbeat') count(id, -1);
      }
    },
    /** R19: a nudge is acknowledged only when its order was claimed, or has nothing to be claimed for. `revision`: the order's when it was received. */
    acknowledgedNudge({ orderId }: Nudge, revision: number, worker: Worker) {
      const record = table.record(orderId);
      if (!clocksAgree() || record?.revision !== revision) return;
      if (record.processState !== 'Pending' || record.notBefore > worker.clock.now()) return;
      breach('R19', `a nudge for ${orderId} was acknowledged, and nobody has claimed it`);
    },
    /** R19: a request is acknowledged only when it was answered, or is past complete-by. */
    acknowledgedRequest(request: Request, worker: Worker) {
      const { orderId, step, attempt, action, completeBy } = request;
      if (!clocksAgree() || worker.clock.now() > completeBy) return;
      const id = `${attemptOf(orderId, step, attempt)} ${action}`;
      if ((replies.get(id) ?? 0) <= 0)
        breach('R19', `${id} was acknowledged, and nobody has answered it`);
    },
    /** R19: a reply is acknowledged only when it is recorded, or no longer awaited. `agent`: by whose channel it came. */
    acknowledgedReply(agent: AgentName, reply: Reply, worker: Worker) {
      const step = recordedStep(reply);
      if (!clocksAgree() || reply.result.kind === 'heartbeat') return;
      if (step?.attempt !== reply.attempt || step.agent !== agent) return;
      const { progress } = step;
      const awaited = underWay(progress) && progress.completeBy >= worker.clock.now();
      const isOf = progress.state === (reply.action === 'undo' ? 'Undoing' : 'Running');
      if (awaited && isOf) {
        breach('R19', `a reply of ${step.name} was acknowledged, and nothing recorded`);
      }
    },
    /** R19: a submission is acknowledged only when there is an order of its details. */
    acknowledgedSubmission({ key, details }: SubmissionMessage) {
      const text = canonicalJson(details);
      const isThere = table.orderIds().some((orderId) => {
        const order = table.order(orderId);
        return order !== undefined && canonicalJson(order.details) === text;
      });
      if (!isThere) breach('R19', `the submission ${key} was acknowledged, and is no order`);
    },
  };
}
