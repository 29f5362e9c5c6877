/** The runners of the agents on one machine, as the functions in lambdas compose them. */
import { type ProbeChecker, probeChecker } from '#checkers/process/probe-checker.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { agentMissing } from '#core/definition/agent.ts';
import type { AgentName } from '#core/model/ids.ts';
import { slottedBreaker } from '#distributed/limits/slotted-breaker.ts';
import type { QueueClock } from '#distributed/queue-clock.ts';
import {
  type SharedCircuitBreaker,
  sharedCircuitBreaker,
} from '#distributed/shared-circuit-breaker.ts';
import { sharedEjections } from '#distributed/shared-ejections.ts';
import type { Log } from '#ports/log.ts';
import type { AgentRunner } from '#roles/agent/agent-runner.ts';
import { assembleAgent } from '#roles/assemble.ts';
import { clocksWereRight } from '#sim/faults/fault-rates.ts';
import type { Host } from '#sim/world/host.ts';
import { channelOf } from '#sim/world/host-ports.ts';
import type { Machine } from '#sim/world/machine.ts';
import type { SharedByFunctions } from '#sim/world/shared-infrastructure.ts';
import { simBreaker } from './sim-breaker.ts';
import { simCircuits, simEjections } from './sim-flow.ts';
import { simLimitItems } from './sim-limit-items.ts';

/** Checks the circuit as this instance knows it, and the probes of all instances, while clocks are right (R27). */
function probesOf(
  shared: SharedByFunctions,
  machine: Machine,
  { state }: Pick<SharedCircuitBreaker, 'state'>,
): ProbeChecker {
  const own = probeChecker(state, machine.latestNow, (rule, message) => {
    if (clocksWereRight(shared.around.faults.hits)) shared.breach(rule, message);
  });
  return {
    ...own,
    began(agent, attempt) {
      const ended = own.began(agent, attempt);
      if (state() !== 'half-open') return ended;
      const left = shared.probes.began(agent, attempt, machine);
      return (end) => {
        left();
        ended(end);
      };
    },
  };
}

/** Makes each runner when it is first used: a machine runs the code of one agent. */
export function runnersOf(
  shared: SharedByFunctions,
  machine: Machine,
  time: QueueClock,
  log: Log,
): Host['runner'] {
  const runners = new Map<AgentName, AgentRunner>();
  return (agent) => {
    const runner = runners.get(agent) ?? runnerOf(agent, shared, { machine, time }, log);
    runners.set(agent, runner);
    return runner;
  };
}

function runnerOf(
  agent: AgentName,
  shared: SharedByFunctions,
  { machine, time }: { readonly machine: Machine; readonly time: QueueClock },
  log: Log,
): AgentRunner {
  const { queues, rules, around } = shared;
  const queue = queues.replies.get(agent);
  if (queue === undefined) throw agentMissing(agent);
  const breaker = sharedCircuitBreaker({
    agent,
    instance: machine.name,
    circuits: simCircuits(shared.circuits, machine),
    clock: machine.clock,
    queueClock: time,
    log,
  });
  const ejections = sharedEjections({
    agent,
    ejections: simEjections(shared.ejections, machine),
    clock: machine.clock,
    log,
  });
  const probes = probesOf(shared, machine, breaker);
  const runner = assembleAgent(shared.agents.implementation(agent, machine, shared), {
    repliesOf: () =>
      channelOf(
        shared,
        machine,
        replyCodec,
        () => queue,
        (sent) => rules.replying(agent, sent, machine),
        rules.unanswered,
      ),
    breakerFor: () =>
      slottedBreaker({
        breaker: simBreaker(agent, breaker, around, probes),
        items: simLimitItems(shared.limitItems, machine),
        queueClock: time,
        log,
      }),
    clock: machine.clock,
    random: around.chance,
    log,
    ejections,
  });
  return {
    ...runner,
    async handle(request, isFirst) {
      const delivery = await runner.handle(request, isFirst);
      // As lambdas/agent-handler.ts does before its instance may be suspended.
      await Promise.all([breaker.stored(), ejections.stored()]);
      return delivery;
    },
  };
}
