/** What must hold of agents and their answers, and of every message that its queue is told to forget. */
import type { AgentName } from '#core/ids.ts';
import { canonicalJson } from '#core/json.ts';
import type { Nudge, Reply, Request } from '#core/message.ts';
import type { SubmissionMessage } from '#core/message-codec.ts';
import { findStep, underWay } from '#core/record.ts';
import type { Machine } from './machine.ts';
import type { Breach } from './rules.ts';
import { attemptOf } from './rules-of-sending.ts';
import type { SimTable } from './sim-table.ts';

export interface AnswerRules {
  handling(request: Request, machine: Machine): void;
  replying(agent: AgentName, replies: readonly Reply[], machine: Machine): void;
  /** A channel did not take them. */
  unanswered(replies: readonly Reply[]): void;
  /** `revision`: the order's when the nudge was received. */
  forgotNudge(nudge: Nudge, revision: number, machine: Machine): void;
  forgotRequest(request: Request, machine: Machine): void;
  /** `agent`: by whose channel it came. */
  forgotReply(agent: AgentName, reply: Reply, machine: Machine): void;
  forgotSubmission(submission: SubmissionMessage): void;
}

/** @param clocksAgree whether all clocks were right until now: some rules can only be told then */
export function answerRules(
  table: SimTable,
  clocksAgree: () => boolean,
  breach: Breach,
): AnswerRules {
  const lateAfter = new Map<string, { until: number; endBy: number }>();
  const replies = new Map<string, number>();
  const count = (id: string, by: number) => replies.set(id, (replies.get(id) ?? 0) + by);
  const recordedStep = ({ orderId, step }: Pick<Reply, 'orderId' | 'step'>) =>
    findStep(table.record(orderId) ?? { steps: [] }, step);

  return {
    handling({ orderId, step, attempt, completeBy, endBy }, machine) {
      const id = `${machine.name} ${attemptOf(orderId, step, attempt)}`;
      const until = Math.max(completeBy, lateAfter.get(id)?.until ?? 0);
      lateAfter.set(id, { until, endBy });
    },
    replying(agent, sent, machine) {
      const now = machine.clock.now();
      for (const reply of sent) {
        const id = attemptOf(reply.orderId, reply.step, reply.attempt);
        const own = `${machine.name} ${id}`;
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
    unanswered(unsent) {
      for (const { orderId, step, attempt, action, result } of unsent) {
        const id = `${attemptOf(orderId, step, attempt)} ${action}`;
        if (result.kind !== 'heartbeat') count(id, -1);
      }
    },
    forgotNudge({ orderId }, revision, machine) {
      const record = table.record(orderId);
      if (!clocksAgree() || record?.revision !== revision) return;
      if (record.processState !== 'Pending' || record.notBefore > machine.clock.now()) return;
      breach('R19', `a nudge for ${orderId} was acknowledged, and nobody has claimed it`);
    },
    forgotRequest({ orderId, step, attempt, action, completeBy }, machine) {
      if (!clocksAgree() || machine.clock.now() > completeBy) return;
      const id = `${attemptOf(orderId, step, attempt)} ${action}`;
      if ((replies.get(id) ?? 0) <= 0)
        breach('R19', `${id} was acknowledged, and nobody has answered it`);
    },
    forgotReply(agent, reply, machine) {
      const step = recordedStep(reply);
      if (!clocksAgree() || reply.result.kind === 'heartbeat') return;
      if (step?.attempt !== reply.attempt || step.agent !== agent) return;
      const { progress } = step;
      const awaited = underWay(progress) && progress.completeBy >= machine.clock.now();
      const isOf = progress.state === (reply.action === 'undo' ? 'Undoing' : 'Running');
      if (awaited && isOf) {
        breach('R19', `a reply of ${step.name} was acknowledged, and nothing recorded`);
      }
    },
    forgotSubmission({ key, details }) {
      const text = canonicalJson(details);
      const isThere = table.orderIds().some((orderId) => {
        const order = table.order(orderId);
        return order !== undefined && canonicalJson(order.details) === text;
      });
      if (!isThere) breach('R19', `the submission ${key} was acknowledged, and is no order`);
    },
  };
}
