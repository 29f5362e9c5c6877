/** The roles that ship, on a simulated machine: each port is one of the simulation's, all else is real. */
import type { Notification } from '#core/change.ts';
import { ReeveError } from '#core/errors.ts';
import { type AgentName, type OrderId, orderId, schedulerId, writeId } from '#core/ids.ts';
import {
  type MessageCodec,
  notificationCodec,
  nudgeCodec,
  replyCodec,
  requestCodec,
} from '#core/message-codec.ts';
import { PermanentFault, TransientFault } from '#ports/agent.ts';
import type { Breaker } from '#ports/breaker.ts';
import type { Channel } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Publication, Publisher } from '#ports/publisher.ts';
import type { Ids } from '#ports/random.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { AgentRunner } from '#roles/agent-runner.ts';
import {
  assembleAgent,
  assembleNotifier,
  assembleOperator,
  assembleProcess,
  assembleScheduler,
  assembleSubmission,
  assembleSweeps,
  type ProcessAssembly,
} from '#roles/assemble.ts';
import type { Notifier } from '#roles/notifier.ts';
import type { Operator } from '#roles/operator.ts';
import { agentMissing, requestsByAgent } from '#roles/requests-by-agent.ts';
import type { Scheduler } from '#roles/scheduler.ts';
import { search } from '#roles/search.ts';
import type { Submission } from '#roles/submission.ts';
import type { SweepTick } from '#roles/sweep-tick.ts';
import type { Machine } from './machine.ts';
import type { Plant } from './plant.ts';
import { simCoordination } from './sim-coordination.ts';
import type { SimQueue } from './sim-queue.ts';
import { simStore } from './sim-store.ts';
import { implementation, type Release, registries } from './sim-workflows.ts';
import type { Surroundings } from './surroundings.ts';

export interface Host {
  readonly machine: Machine;
  readonly release: Release;
  readonly log: Log;
  readonly scheduler: Scheduler;
  readonly submission: Submission;
  readonly operator: Operator;
  readonly notifier: Notifier;
  /** Runs the agent's code on it. */
  readonly runner: (agent: AgentName) => AgentRunner;
  /** What an operator looks for before acting. */
  searchErrors(agent: AgentName): Promise<unknown>;
  readonly sweeping: Sweeping;
  /** How many invocations run on it. */
  running: number;
  /** Whether it takes anything yet. */
  ready: boolean;
  /** False where something goes on by itself, beside what is invoked. */
  onlyInvoked: boolean;
}

/** One process sweeps by itself once it is started; a function is invoked for each tick, under leases. */
type Sweeping =
  | { readonly kind: 'by-itself'; readonly start: () => Promise<unknown> }
  | { readonly kind: 'invoked'; readonly tick: () => SweepTick };

/** The channel that submitters of the simulation listen to. */
export const responseChannel = 'submitters';

/** So few that much happens while the recovery after a restart goes on. */
const restartSliceMax = 2;

export function host(machine: Machine, release: Release, plant: Plant): Host {
  const { table, queues, rules, around } = plant;
  const { clock } = machine;
  const log = logOf(machine, around);
  const reached = {
    table,
    machine,
    faults: around.faults,
    operations: plant.witness.operations,
    rules,
    unreadable: plant.unreadable,
    outage: plant.storeOutage,
  };
  const store = simStore({ ...reached, workMs: 0 });
  const channels = {
    nudges: channelOf(plant, machine, nudgeCodec, () => queues.nudges, rules.nudging),
    requests: requestsByAgent(
      new Map(
        [...queues.requests].map(([agent, queue]) => [
          agent,
          channelOf(plant, machine, requestCodec, () => queue, rules.requesting),
        ]),
      ),
    ),
  };
  const ports: HostPorts = {
    id: schedulerId(machine.name),
    store,
    channels,
    clock,
    ids: idsOf(machine),
    random: around.chance,
    log,
    registry: registries[release],
    digest,
    responseChannels: [responseChannel],
    outageAfterMs: plant.outageAfterMs,
  };
  return {
    machine,
    release,
    log,
    running: 0,
    ready: true,
    onlyInvoked: true,
    ...(plant.oneProcess
      ? processOf(ports, plant)
      : functionsOf(ports, plant, machine, simStore({ ...reached, workMs: plant.recoveryMs }))),
    notifier: assembleNotifier({
      publisher: publisherOf(plant, machine),
      retries: retriesOf(plant, machine),
      log,
    }),
    runner: runnersOf(plant, machine, log),
    searchErrors: (agent) =>
      search(store, { processState: 'Error', limit: 2, cursor: null }, { agent }),
  };
}

type HostPorts = Omit<ProcessAssembly, 'sliceMax' | 'sweepPeriodMs'>;
type Roles = Pick<Host, 'scheduler' | 'submission' | 'operator' | 'sweeping'>;

/** As lib/runtime/local-reeve.ts. */
function processOf(ports: HostPorts, { sweepPeriodMs }: Plant): Roles {
  const { scheduler, submission, operator, start } = assembleProcess({
    ...ports,
    sweepPeriodMs,
    sliceMax: restartSliceMax,
  });
  return { scheduler, submission, operator, sweeping: { kind: 'by-itself', start } };
}

/**
 * As the functions in lambdas.
 *
 * @param sweptStore the store as the Supervisor reaches it
 */
function functionsOf(
  ports: HostPorts,
  plant: Plant,
  machine: Machine,
  sweptStore: StateStore,
): Roles {
  let ticks = 0;
  const tick = assembleSweeps({
    ...ports,
    store: sweptStore,
    coordination: simCoordination(plant.coordination, machine),
    leaseMs: plant.leaseMs,
    holder() {
      ticks += 1;
      return `${machine.name}-${ticks}`;
    },
    handOver: (shard) =>
      machine.call({ what: `hand over ${shard}`, act: () => plant.handOver(shard) }),
  });
  return {
    scheduler: assembleScheduler(ports),
    submission: assembleSubmission(ports),
    operator: assembleOperator(ports),
    sweeping: { kind: 'invoked', tick },
  };
}

function runnersOf(plant: Plant, machine: Machine, log: Log): Host['runner'] {
  const { queues, rules, around, services } = plant;
  const runners = new Map<string, AgentRunner>();
  for (const [agent, queue] of queues.replies) {
    const { runner } = assembleAgent(implementation(agent, machine, services), {
      repliesOf: () =>
        channelOf(
          plant,
          machine,
          replyCodec,
          () => queue,
          (sent) => rules.replying(agent, sent, machine),
          rules.unanswered,
        ),
      breakerFor: () => simBreaker(machine.clock),
      clock: machine.clock,
      random: around.chance,
      log,
    });
    runners.set(agent, runner);
  }
  return (agent) => {
    const runner = runners.get(agent);
    if (runner === undefined) throw agentMissing(agent);
    return runner;
  };
}

function channelOf<Message>(
  { around, rules }: Plant,
  machine: Machine,
  codec: MessageCodec<Message>,
  queueFor: (message: Message) => SimQueue,
  onSend: (messages: readonly Message[], machine: Machine) => void,
  onUnsent: (messages: readonly Message[]) => void = () => {},
): Channel<Message> {
  return {
    async send(messages) {
      if (!machine.isAlive()) return;
      onSend(messages, machine);
      const put = (some: readonly Message[]) => {
        for (const message of some) queueFor(message).put([codec.encode(message)]);
      };
      const part = messages.slice(0, Math.floor(messages.length / 2));
      try {
        await machine.call({
          what: `send ${messages.length} to ${messages[0] && queueFor(messages[0]).name}`,
          refusal: 'queue-throttled',
          ...(messages.length > 1 ? { actInPart: () => put(part) } : {}),
          act() {
            if (messages.length > 1 && around.faults.strike('batch-partly-sent')) {
              put(part);
              throw new ReeveError('messages-unsent', 'The simulation: batch-partly-sent.');
            }
            put(messages);
          },
        });
      } catch (error) {
        rules.unsent(machine);
        onUnsent(messages);
        throw error;
      }
    },
  };
}

/** The notifier's own queue loses nothing: only the way there may fail. */
function retriesOf({ queues, alerted }: Plant, machine: Machine): Channel<Notification> {
  return {
    async send(notifications) {
      const alerts = notifications.flatMap(({ audience, change }) =>
        audience === 'operator' ? [change] : [],
      );
      await machine.call({
        what: `keep ${notifications.length} notifications`,
        refusal: 'queue-throttled',
        act() {
          queues.retries.putSafely(notifications.map(notificationCodec.encode));
          for (const alert of alerts) alerted.keep(alert);
        },
      });
      for (const alert of alerts) alerted.knowKept(alert);
    },
  };
}

/** One notification a call; those of an order to one audience in sequence, as lib/aws/delivery-turns.ts. */
function publisherOf(plant: Plant, machine: Machine): Publisher {
  return {
    async publish(notifications) {
      const results: Publication[] = notifications.map(() => ({ kind: 'delivered' }));
      const sequences = Map.groupBy(
        notifications.entries(),
        ([, { audience, change }]) => `${audience} ${change.orderId}`,
      );
      await Promise.all(
        [...sequences.values()].map(async (own) => {
          let failure: Publication | null = null;
          for (const [place, notification] of own) {
            failure ??= await publishOne(plant, machine, notification);
            if (failure !== null) results[place] = failure;
          }
        }),
      );
      return results;
    },
  };
}

/** Null when it is known to be delivered. */
async function publishOne(
  { responses, alerted }: Plant,
  machine: Machine,
  { audience, change }: Notification,
): Promise<Publication | null> {
  const { orderId: id, sequence, correlationId } = change;
  const told = { orderId: id, sequence, correlationId };
  try {
    if (audience === 'submitter') {
      await machine.call({
        what: `tell the submitter ${id} ${sequence}`,
        refusal: 'submitter-deaf',
        act: () => void responses.push(told),
      });
      return null;
    }
    await machine.call({
      what: `alert the operator ${id} ${sequence}`,
      refusal: 'operator-deaf',
      act: () => alerted.deliver(told),
    });
    alerted.know(told, machine);
    return null;
  } catch (error) {
    return { kind: 'failed', error };
  }
}

function logOf({ name }: Machine, { trace }: Surroundings): Log {
  const tell = (event: string, fields: Readonly<Record<string, unknown>>) =>
    trace.tell(`${name} says ${event} ${Object.values(fields).join(' ')}`);
  return { info() {}, warn: tell, error: tell };
}

function idsOf({ name }: Machine): Ids {
  let count = 0;
  const next = (): string => {
    count += 1;
    return `${name}-${count}`;
  };
  return {
    orderId: (): OrderId => orderId(`o-${next().replaceAll('.', '-')}`),
    writeId: () => writeId(next()),
  };
}

/** Opens after five failures in a row, for a second; nothing of it decides anything about an order. */
function simBreaker(clock: Clock): Breaker {
  let failures = 0;
  let openUntil = 0;
  return {
    async run(call) {
      if (clock.now() < openUntil)
        throw new TransientFault('circuit-open', 'Left alone for a while.');
      try {
        const value = await call();
        failures = 0;
        return value;
      } catch (error) {
        if (!(error instanceof PermanentFault)) failures += 1;
        if (failures >= 5) openUntil = clock.now() + 1_000;
        throw error;
      }
    },
  };
}

/** Only to tell submissions apart; nothing in a simulation has secrets. */
function digest(text: string): string {
  let [one, other] = [0x811c9dc5, 0x9dc5811c];
  for (let at = 0; at < text.length; at += 1) {
    one = Math.imul(one ^ text.charCodeAt(at), 0x01000193);
    other = Math.imul(other ^ text.charCodeAt(at), 0x85ebca6b);
  }
  const words = [one, other, one ^ other, one + other, one - other];
  return words.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}
