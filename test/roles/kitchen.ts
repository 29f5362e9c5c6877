/** An agent on a virtual clock, whose replies are only recorded. */
import * as z from 'zod';
import { type AgentContract, defineAgent } from '#core/definition/agent.ts';
import { agentName, idempotencyKey, orderId, stepName, workflowName } from '#core/model/ids.ts';
import type { Reply, Request } from '#core/model/message.ts';
import type { AgentImplementation, Call } from '#ports/agent-implementation.ts';
import type { Breaker } from '#ports/breaker.ts';
import { agentRunner } from '#roles/agent/agent-runner.ts';
import type { EjectionShare } from '#roles/agent/endpoint-tries.ts';
import { freeBreaker } from '../support/breakers.ts';
import { type TestLog, testLog } from '../support/log.ts';
import { type VirtualClock, virtualClock } from '../support/virtual-clock.ts';

interface Input {
  readonly [key: string]: string;
  readonly dish: string;
}
export const contract: AgentContract<Input, { plate: string }> = defineAgent({
  name: 'cook',
  input: z.object({ dish: z.string() }),
  output: z.object({ plate: z.string() }),
  undo: 'offered',
});

export interface Kitchen {
  readonly clock: VirtualClock;
  readonly log: TestLog;
  readonly replies: Reply[];
  readonly calls: { readonly at: number; readonly call: Call }[];
  run(changes?: Partial<Request>): Promise<unknown>;
  /** The process of the agent ends. */
  close(): void;
}

type Perform = (call: Call, attempt: number) => Promise<{ plate: string }>;

export interface KitchenOptions {
  /** Whether replies can be sent. Default: true */
  readonly canSend?: boolean;
  /** Whether the code has an undo. Default: true */
  readonly canUndo?: boolean;
  /** Default: lets every call through. */
  readonly breaker?: Breaker;
  readonly ejections?: EjectionShare;
}

export function kitchen(
  perform: Perform,
  more: Partial<AgentImplementation> = {},
  { canSend = true, canUndo = true, breaker = freeBreaker(), ejections }: KitchenOptions = {},
): Kitchen {
  const clock = virtualClock();
  const start = clock.now();
  const log = testLog();
  const replies: Reply[] = [];
  const calls: { at: number; call: Call }[] = [];
  const agent: AgentImplementation = {
    contract,
    perform: (_input, call) => {
      calls.push({ at: clock.now() - start, call });
      return perform(call, calls.length);
    },
    ...(canUndo && { async undo() {} }),
    ...more,
  };
  const runner = agentRunner(agent, {
    breaker,
    clock,
    log,
    random: { next: () => 0.5 },
    ...(ejections !== undefined && { ejections }),
    replies: {
      async send(messages) {
        if (!canSend) throw new Error('no channel');
        replies.push(...messages);
      },
    },
  });
  const order = orderId('one');
  const step = stepName('soup');
  const key = idempotencyKey(order, step, 'perform', 1);
  return {
    clock,
    log,
    replies,
    calls,
    close: runner.close,
    run: (changes = {}) =>
      runner.handle({
        orderId: order,
        workflow: workflowName('dinner'),
        step,
        agent: agentName('cook'),
        attempt: 1,
        action: 'perform',
        idempotencyKey: key,
        performKey: key,
        completeBy: clock.now() + 10_000,
        completeWithinMs: 10_000,
        endBy: clock.now() + 10_000,
        input: { dish: 'soup' },
        output: null,
        priority: 'normal',
        tenant: null,
        ...changes,
      }),
  };
}

export const served = async () => ({ plate: 'soup' });
export const never = () => new Promise<never>(() => {});
