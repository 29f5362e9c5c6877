/**
 * Reeve in one process: the roles over the SQLite state store and in-process channels. Used by `npm start`, by tests,
 * and by applications that embed Reeve.
 */

import { type WorkflowRegistry, workflowRegistry } from '#core/definition/registry.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { DefinitionError } from '#core/model/errors.ts';
import { type AgentName, schedulerId } from '#core/model/ids.ts';
import type { Nudge, Reply, Request } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { backgroundCheck } from '#embedded/integrity/background-check.ts';
import { type SqliteStore, sqliteStore } from '#embedded/sqlite-store.ts';
import { writeProbe } from '#embedded/write-probe.ts';
import type { Activity } from '#http/api-ports.ts';
import { type AgentRoom, agentRoom } from '#in-process/agent-room.ts';
import { retention } from '#in-process/delete-ended-orders.ts';
import { type LocalChannel, localChannel } from '#in-process/local-channel.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import type { Breaker } from '#ports/breaker.ts';
import type { Channels } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';
import type { Delivery } from '#ports/delivery.ts';
import type { Gates } from '#ports/gates.ts';
import type { Log } from '#ports/log.ts';
import type { Alert } from '#ports/publisher.ts';
import type { Random } from '#ports/random.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { AgentRunner } from '#roles/agent-runner.ts';
import { assembleAgent, assembleProcess } from '#roles/assemble.ts';
import type { Operator } from '#roles/operator.ts';
import { requestsByAgent } from '#roles/requests-by-agent.ts';
import type { Scheduler } from '#roles/scheduler.ts';
import type { Submission } from '#roles/submission.ts';
import type { Supervisor } from '#roles/supervisor.ts';
import { consequencesLog } from '#runtime/node/consequences-log.ts';
import { instanceName, sha256, systemIds } from '#runtime/node/system-ids.ts';
import { activityCollector } from './activity.ts';
import { deliverChanges, type Respond } from './deliver-changes.ts';

/** Options of {@link startLocalReeve}. */
export interface LocalReeveOptions {
  readonly workflows: readonly WorkflowDefinition[];
  readonly agents: readonly AgentImplementation[];
  /** The database file, or `:memory:` for a test. */
  readonly path: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** Makes the circuit breaker of an agent's remote service. */
  readonly breakerFor: (service: string) => Breaker;
  /** The period of the Supervisor's sweeps, ms. Default 1 s. */
  readonly sweepPeriodMs?: number;
  /** How long an order is kept after its end, ms. Default 30 days. */
  readonly keepEndedMs?: number;
  /** The response channels by name, as in `replyTo`. Default: none. */
  readonly responseChannels?: Readonly<Record<string, Respond>>;
  /** Called for every order in Error. Default: the log only. */
  readonly onAlert?: (alert: Alert) => Promise<void>;
  /** The command line of this Reeve, for the remedies in alerts. Default `npx reeve`. */
  readonly command?: string;
}

/** A running Reeve. */
export interface LocalReeve {
  readonly registry: WorkflowRegistry;
  readonly submission: Submission;
  readonly operator: Operator;
  readonly supervisor: Supervisor;
  readonly store: StateStore;
  /** Resolves when all live orders of the former process are interrupted; never after `close`. */
  readonly recovered: Promise<void>;
  /** True until then; Reeve already works. */
  isStarting(): boolean;
  /** When the last completed sweep began; null before the first. */
  lastSweepAt(): number | null;
  /** Counts since the start, and the present numbers of live orders. */
  activity(): Activity;
  /** Calls `listener` with every committed record; the returned function ends that. */
  watch(listener: (record: ProcessRecord) => void): () => void;
  /** The number of rows found damaged since the start. */
  damaged(): number;
  /** The code of the error with which the store refuses writes; null while it accepts them. */
  refusal(): string | null;
  /** As `refusal`, and `store-closed` after `close`. */
  failure(): string | null;
  /** Copies the data to a file that does not exist, while orders continue. */
  backup(to: string): Promise<void>;
  /** Stops deliveries and sweeps, and closes the store. */
  close(): void;
}

const defaultSweepPeriodMs = 1_000;
const defaultKeepEndedMs = 30 * 24 * 3_600_000;
/** Concurrent calls to one remote service where its agent says nothing: a number that a small service can bear. */
const agentCallsMax = 256;
const messageBatchMax = 256;
const retryAfterMs = 250;

/**
 * Starts Reeve; resolves as soon as it accepts orders. Live orders of the former process are recovered in due order,
 * without a failure counted: the first ten before the promise resolves, the others in the background; see `recovered`.
 *
 * @throws {DefinitionError} `agent-missing` when `agents` has no implementation of an agent of a workflow
 * @throws {ReeveError} `store-in-use` when another process has the database open; see sqlite-store.ts
 * @throws {UnavailableError} `sweep-unwritten` when the state store cannot be written
 */
export async function startLocalReeve(options: LocalReeveOptions): Promise<LocalReeve> {
  const sweepPeriodMs = options.sweepPeriodMs ?? defaultSweepPeriodMs;
  const registry = workflowRegistry(options.workflows);
  checkAgents(options);
  const store = sqliteStore({ path: options.path, sweepPeriodMs, log: options.log });
  const open: (() => void)[] = [store.close];
  let isClosed = false;
  const close = () => {
    isClosed = true;
    for (const each of open.splice(0).reverse()) each();
  };
  try {
    const failure = () => (isClosed ? 'store-closed' : store.refusal());
    const log = consequencesLog(options.log, failure);
    return {
      ...(await assemble({ ...options, log }, { registry, store, sweepPeriodMs, open })),
      failure,
      close,
    };
  } catch (error) {
    // A failed start must leave nothing running, and must release the lock on the data.
    close();
    throw error;
  }
}

interface Parts {
  readonly registry: WorkflowRegistry;
  readonly store: SqliteStore;
  readonly sweepPeriodMs: number;
  /** Closes the started parts; called in reverse order. */
  readonly open: (() => void)[];
}

async function assemble(
  options: LocalReeveOptions,
  { registry, store, sweepPeriodMs, open }: Parts,
): Promise<Omit<LocalReeve, 'close' | 'failure'>> {
  const { clock, log, random } = options;
  const instance = instanceName();
  const links = channels(options, {
    onNudges: (nudges) => roles.scheduler.onNudges(nudges),
    onReplies: (agent, replies) => roles.scheduler.onReplies(agent, replies),
  });
  open.push(links.close);
  const responses = new Map(Object.entries(options.responseChannels ?? {}));
  const gates = gatesOf(options, links.channels);
  open.push(gates.close);
  const roles = assembleProcess({
    gates,
    id: schedulerId(instance),
    store,
    channels: links.channels,
    clock,
    ids: systemIds(clock, instance),
    digest: sha256,
    random,
    log,
    registry,
    responseChannels: [...responses.keys()],
    sweepPeriodMs,
    outageAfterMs: Math.max(10 * sweepPeriodMs, 10_000),
  });
  const breakers = new Map<AgentName, Breaker>();
  for (const agent of options.agents) {
    const { runner, breaker } = assembleAgent(agent, { ...options, repliesOf: links.repliesOf });
    breakers.set(agent.contract.name, breaker);
    links.serve(agent, runner, gates);
  }
  const activity = activityCollector({
    registry,
    store,
    clock,
    log,
    agents: [...breakers].map(([name, own]) => ({ name, breaker: () => own.state?.() ?? null })),
    channels: () => feed.channels(),
  });
  store.watchRecords(activity.on);
  const feed = deliverChanges({ command: 'npx reeve', ...options, outbox: store, responses });
  open.push(feed.stop);
  open.push(writeProbe({ store, clock }));
  const keepMs = options.keepEndedMs ?? defaultKeepEndedMs;
  open.push(retention({ store, keepMs, clock, log }));
  open.push(roles.restart.stop, activity.stop);
  const { left: atFirst, sweeps } = await roles.start();
  open.push(sweeps.stop);
  let isClosed = false;
  open.push(() => {
    isClosed = true;
  });
  const recovered = roles.restart.done.then(async (changed) => {
    log.info('recovered', { found: atFirst.length, changed });
    // Not during the recovery, which reads the same rows and is more urgent.
    if (!isClosed) open.push(backgroundCheck({ store, clock, log }));
    // After the recovery, whose writes have already counted most orders.
    await activity.countRest(atFirst);
  });
  log.info('started', { alive: atFirst.length });

  return {
    registry,
    store,
    submission: roles.submission,
    operator: roles.operator,
    supervisor: roles.supervisor,
    recovered,
    isStarting: () => !roles.restart.isDone(),
    lastSweepAt: sweeps.lastSweepAt,
    activity: activity.read,
    damaged: store.damaged,
    refusal: store.refusal,
    backup: store.backup,
    watch: (listener) => store.watchRecords(listener),
  };
}

function gatesOf({ agents, clock }: LocalReeveOptions, { nudges }: Channels): AgentRoom {
  return agentRoom({
    callsMax: new Map(agents.map((agent) => [agent.contract.name, callsMaxOf(agent)])),
    nudge: (nudge) => void nudges.send([nudge]),
    clock,
  });
}

const callsMaxOf = ({ callsMax = agentCallsMax }: AgentImplementation) => callsMax;

function checkAgents({ workflows, agents }: LocalReeveOptions): void {
  const given = new Set(agents.map(({ contract }) => contract.name));
  for (const { name, version, steps } of workflows) {
    const missing = steps.find(({ agent }) => !given.has(agent));
    if (missing === undefined) continue;
    throw new DefinitionError(
      'agent-missing',
      `workflow ${name}@${version}, step ${missing.name}: no implementation of agent ${missing.agent} was given.`,
    );
  }
}

interface Links {
  readonly channels: Channels;
  repliesOf(agent: AgentImplementation): LocalChannel<Reply>;
  serve(agent: AgentImplementation, runner: AgentRunner, gates: Gates): void;
  close(): void;
}

/** The channels of one process: one for nudges, and one each for the requests and the replies of every agent. */
function channels({ clock, log }: LocalReeveOptions, to: Scheduler): Links {
  const open: { close(): void }[] = [];
  const make = <Message>(
    name: string,
    batchMax: number,
    inFlightMax: number,
    receive: (messages: readonly Message[]) => Promise<readonly Delivery[]>,
  ) => {
    const channel = localChannel<Message>({
      name,
      receive,
      batchMax,
      inFlightMax,
      retryAfterMs,
      clock,
      log,
    });
    open.push(channel);
    return channel;
  };
  const requests = new Map<string, LocalChannel<Request>>();
  return {
    channels: {
      nudges: make<Nudge>('nudges', messageBatchMax, 8, (nudges) => to.onNudges(nudges)),
      requests: requestsByAgent(requests),
    },
    repliesOf: ({ contract: { name } }) =>
      make<Reply>(`replies-${name}`, messageBatchMax, 8, (replies) => to.onReplies(name, replies)),
    serve(agent, runner, gates) {
      const { name } = agent.contract;
      const serveOne = async ([request]: readonly Request[]) => {
        if (request === undefined) return [];
        const delivery = await runner.handle(request);
        if (delivery.kind !== 'retry') gates.release([request]);
        return [delivery];
      };
      requests.set(name, make<Request>(`requests-${name}`, 1, callsMaxOf(agent), serveOne));
    },
    close() {
      for (const channel of open) channel.close();
    },
  };
}
