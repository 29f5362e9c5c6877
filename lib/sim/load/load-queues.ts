/** The queues of a deployment under load. Those of the agent that is the bottleneck divide its concurrency. */
import type { AgentName } from '#core/model/ids.ts';
import { type Queues, queuesOf } from '#sim/ports/queues.ts';
import type { SimMessage } from '#sim/ports/sim-queue.ts';
import type { SentQueue } from '#sim/world/shared-infrastructure.ts';
import type { SimContext } from '#sim/world/sim-context.ts';
import { functionQueue } from './function-queue.ts';
import { bottleneck, type LoadSetting } from './load-setting.ts';

/** Runs a function on a batch; returns the messages to be received again. */
type Deliver = (messages: readonly SimMessage[]) => Promise<readonly SimMessage[]>;

/** What receives from each queue. */
export interface Receivers {
  readonly nudges: Deliver;
  readonly requests: (agent: AgentName) => Deliver;
  readonly replies: (agent: AgentName) => Deliver;
}

export interface LoadQueues {
  readonly queues: Queues<SentQueue>;
  readonly divided: ReadonlyMap<AgentName, readonly SentQueue[]>;
}

export function loadQueues(
  { batches, classes, countAgeMs }: LoadSetting,
  around: SimContext,
  receivers: Receivers,
): LoadQueues {
  const { contracts } = around.subject;
  const common = { around, countAgeMs };
  const divided = new Map<AgentName, readonly SentQueue[]>();
  const queues = queuesOf(around.subject, (name): SentQueue => {
    const [kind, of] = name.split('-');
    const agent = contracts.find((contract) => contract.name === of)?.name;
    const queue = (named: string, deliver: Deliver, concurrency?: number) =>
      functionQueue({
        ...{ ...common, name: named, deliver },
        ...(concurrency !== undefined && { concurrency }),
      });
    if (agent === undefined) return queue(name, receivers.nudges);
    if (kind === 'replies') return queue(name, receivers.replies(agent));
    const deliver = receivers.requests(agent);
    if (agent !== bottleneck) return queue(name, deliver);
    const least = Math.floor(batches / classes);
    const all = Array.from({ length: classes }, (_, at) =>
      queue(`${name}-${at + 1}`, deliver, least + (at < batches % classes ? 1 : 0)),
    );
    divided.set(agent, all);
    return sumOf(name, all);
  });
  return { queues, divided };
}

/** Several queues whose messages are counted together. */
function sumOf(name: string, queues: readonly SentQueue[]): SentQueue {
  const sum = (part: keyof ReturnType<SentQueue['count']>) =>
    queues.reduce((all, queue) => all + queue.count()[part], 0);
  return {
    name,
    put(bodies, delaySeconds) {
      for (const [at, body] of bodies.entries())
        queues[at % queues.length]?.put([body], delaySeconds);
    },
    count: () => ({ waiting: sum('waiting'), inFlight: sum('inFlight') }),
  };
}
