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
  /** `revision`: the order's when the nudge was received. */
  forgotNudge(nudge: Nudge, revision: number, machine: Machine): void;
  forgotRequest(request: Request, machine: Machine): void;
  forgotReply(reply: Reply, machine: Machine): void;
  forgotSubmission(submission: SubmissionMessage): void;
}

/** @param clocksAgree whether all clocks were right until now: some rules can only be told then */
export function answerRules(
  table: SimTable,
  clocksAgree: () => boolean,
  breach: Breach,
): AnswerRules {
  const lateAfter = new Map<string, number>();
  const replied = new Set<string>();
  const recordedStep = ({ orderId, step }: Pick<Reply, 'orderId' | 'step'>) =>
    findStep(table.record(orderId) ?? { steps: [] }, step);

  return {
    handling({ orderId, step, attempt, completeBy }, machine) {
      const id = `${machine.name} ${attemptOf(orderId, step, attempt)}`;
      lateAfter.set(id, Math.max(completeBy, lateAfter.get(id) ?? 0));
    },
    replying(agent, replies, machine) {
      const now = machine.clock.now();
      for (const reply of replies) {
        const id = attemptOf(reply.orderId, reply.step, reply.attempt);
        const own = `${machine.name} ${id}`;
        const limit = lateAfter.get(own) ?? 0;
        if (reply.result.kind === 'heartbeat') {
          const within = recordedStep(reply)?.policy.completeWithinMs ?? 0;
          lateAfter.set(own, Math.max(limit, now + within));
        } else {
          replied.add(`${id} ${reply.action}`);
          if (now > limit) breach('R7', `${agent} spoke of ${id} after complete-by`);
        }
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
      if (!replied.has(id)) breach('R19', `${id} was acknowledged, and nobody has answered it`);
    },
    forgotReply(reply, machine) {
      const step = recordedStep(reply);
      if (!clocksAgree() || reply.result.kind === 'heartbeat' || step?.attempt !== reply.attempt) {
        return;
      }
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
