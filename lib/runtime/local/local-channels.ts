/**
 * The in-process channels of a Reeve in one process and the gates of its agents. {@link startLocalReeve} joins them
 * with the roles.
 */

import { waitedMembers } from '#core/decide/choose-agent.ts';
import {
  type AgentSettings,
  amountNow,
  takersOf,
  weightNow,
} from '#core/definition/agent-settings.ts';
import { checkImplementation } from '#core/definition/option-forms.ts';
import { limitsOf, poolsOf, widestPoolsOf, workflowRegistry } from '#core/definition/registry.ts';
import { agentsOf, type WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { DefinitionError } from '#core/model/errors.ts';
import type { Nudge, Reply, Request } from '#core/model/message.ts';
import { type AgentGates, type AgentGatesOptions, agentGates } from '#in-process/agent-gates.ts';
import type { OrderBacklog } from '#in-process/backlog/order-backlog.ts';
import { directChannel } from '#in-process/channels/direct-channel.ts';
import {
  type LocalChannel,
  type LocalChannelOptions,
  localChannel,
} from '#in-process/channels/local-channel.ts';
import { waitSample } from '#in-process/channels/wait-sample.ts';
import type { CircuitEvent } from '#in-process/circuit-watch.ts';
import type { LocalSettings } from '#in-process/local-settings.ts';
import type { TenantWeights } from '#in-process/tenant-weights.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import type { Channels, ReplyChannel } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { AgentRunner } from '#roles/agent/agent-runner.ts';
import { requestsByAgent } from '#roles/requests-by-agent.ts';
import type { Scheduler } from '#roles/scheduler.ts';
import { copyingReplies } from '#runtime/copies/agent-copies.ts';
import { guarded } from './errors/guarded-listener.ts';

/** Concurrent calls to one remote service where its agent says nothing: a number that a small service can bear. */
const concurrencyDefault = 256;
const messageBatchMax = 256;
const batchesInFlightMax = 8;
const retryAfterMs = 250;

/** What all channels of one process share. */
interface LocalChannelsOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly weights: TenantWeights;
}

type OwnOptions<Message> = Omit<
  LocalChannelOptions<Message>,
  'retryAfterMs' | keyof LocalChannelsOptions
>;

/** The channels of one process, and what joins agents to them. */
export interface LocalChannels {
  readonly channels: Channels;
  /** Since when a nudge waits to be taken, ms since the epoch; null: none does. */
  nudgeSince(): number | null;
  /** Makes the channel that takes an agent's replies to the Scheduler. */
  repliesOf(agent: AgentImplementation): ReplyChannel;
  /** Sends the requests of an agent to `runner`, which makes them wait for their turn. */
  serve(agent: AgentImplementation, runner: AgentRunner): void;
  /** Ends the deliveries of all channels. */
  close(): void;
}

/** The channels of one process: one for nudges, and one each for the requests and the replies of every agent. */
export function localChannels(options: LocalChannelsOptions, to: Scheduler): LocalChannels {
  const { clock, log, weights } = options;
  const open: { close(): void }[] = [];
  const make = <Message>(own: OwnOptions<Message>) => {
    const channel = localChannel<Message>({ ...own, retryAfterMs, clock, log });
    open.push(channel);
    return channel;
  };
  const requests = new Map<string, LocalChannel<Request>>();
  const waits = waitSample<Nudge>(clock, orderOf);
  return {
    channels: {
      nudges: make<Nudge>({
        name: 'nudges',
        receive: (nudges) => to.onNudges(nudges),
        batchMax: messageBatchMax,
        inFlightMax: batchesInFlightMax,
        // A nudge names its class and its tenant itself. An order in another class is claimed in its turn there.
        fair: { flowOf: (nudge) => nudge, keyOf: orderOf, weights },
        waits,
        atOf: ({ at }) => at,
      }),
      requests: requestsByAgent(requests),
    },
    nudgeSince: waits.since,
    repliesOf: ({ contract: { name } }) =>
      copyingReplies(
        make<Reply>({
          name: `replies-${name}`,
          receive: (replies) => to.onReplies(name, replies),
          batchMax: messageBatchMax,
          inFlightMax: batchesInFlightMax,
        }),
      ),
    serve({ contract: { name } }, runner) {
      // The gate of the agent limits the requests, and shares its slots fairly.
      const channel = directChannel<Request>({
        name: `requests-${name}`,
        receive: (request) => runner.handle(request),
        ...{ retryAfterMs, clock, log },
      });
      open.push(channel);
      requests.set(name, channel);
    },
    close() {
      for (const channel of open) channel.close();
    },
  };
}

const orderOf = ({ orderId }: Nudge): string => orderId;

interface LocalGatesOptions extends LocalChannelsOptions {
  readonly agents: readonly AgentImplementation[];
  readonly workflows: readonly WorkflowDefinition[];
  readonly backlog: OrderBacklog;
  /** What operators changed of agents. Default: nothing. */
  readonly settings?: LocalSettings;
  readonly onCircuit?: (event: CircuitEvent) => void;
}

/** The gates of the agents: each lets as many calls through as its `concurrency` says. */
export function localGates(options: LocalGatesOptions, { nudges }: Channels): AgentGates {
  const { agents, workflows, clock, weights, settings } = options;
  const current = settings?.current ?? (() => nothing);
  const gates = agentGates({
    concurrencyOf: new Map(agents.map((agent) => [agent.contract.name, concurrencyOf(agent)])),
    pools: widestPoolsOf(workflows),
    takers: takersNow(workflows, current),
    weightOf: (member) => weightNow(member, current()),
    membersOf: membersIn(workflows),
    limits: limitsOf(workflows),
    amountOf: (limit) => (settings === undefined ? limit : amountNow(limit, settings.current())),
    nudge: (nudge) => void nudges.send([nudge]),
    weights,
    onCircuit: circuitReports(options),
    clock,
    log: options.log,
  });
  settings?.watch(gates.onSettings);
  return gates;
}

const nothing: AgentSettings = new Map();

/** Of an order whose definition this process has not, all members that the pool has. */
function membersIn(
  workflows: readonly WorkflowDefinition[],
): NonNullable<AgentGatesOptions['membersOf']> {
  const registry = workflowRegistry(workflows);
  return (record, { name, agent }) => {
    const step = registry.of(record)?.steps.find((one) => one.name === name);
    return step?.pool === undefined ? undefined : waitedMembers(step, agent);
  };
}

/** Computed once for all settings. */
function takersNow(workflows: readonly WorkflowDefinition[], current: () => AgentSettings) {
  let known = current();
  let takers = takersOf(workflows, known);
  return () => {
    const settings = current();
    if (settings !== known) takers = takersOf(workflows, settings);
    known = settings;
    return takers;
  };
}

/** One line per condition, not per order: the orders that wait need no operator. */
function circuitReports({ log, clock, backlog, onCircuit }: LocalGatesOptions) {
  const report = guarded('onCircuit', (event: CircuitEvent) => onCircuit?.(event), log);
  return (event: CircuitEvent) => {
    backlog.onCircuit(event);
    const { agent, kind, since, held } = event;
    if (kind === 'opened') log.error('circuit-opened', { agent, held });
    else log.info('circuit-closed', { agent, held, openMs: clock.now() - since });
    report(event);
  };
}

/** @throws {DefinitionError} `agent-missing`, `agent-twice`, `pool-invalid`, `options-invalid` */
export function checkAgents(
  workflows: readonly WorkflowDefinition[],
  agents: readonly AgentImplementation[],
): void {
  for (const agent of agents) checkImplementation(agent);
  const names = agents.map(({ contract }) => contract.name);
  const given = new Set(names);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) {
    throw new DefinitionError(
      'agent-twice',
      `Two implementations of the agent ${twice} were given: leave out one of them.`,
    );
  }
  const both = [...poolsOf(workflows).keys()].find((pool) => given.has(pool));
  if (both !== undefined) {
    throw new DefinitionError(
      'pool-invalid',
      `${both} is the name of a pool and of an agent: implement the members of the pool, and rename one of the two.`,
    );
  }
  for (const { name, version, steps } of workflows) {
    for (const step of steps) {
      const missing = agentsOf(step).find((agent) => !given.has(agent));
      if (missing === undefined) continue;
      throw new DefinitionError(
        'agent-missing',
        `workflow ${name}@${version}, step ${step.name}: no implementation of agent ${missing} was given.`,
      );
    }
  }
}

const concurrencyOf = ({ concurrency = concurrencyDefault }: AgentImplementation) => concurrency;
