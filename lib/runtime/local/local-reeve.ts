/**
 * Reeve in one process: the roles over the SQLite state store and in-process channels. What
 * `npm start`, the tests and a small user run.
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
import { retention } from '#in-process/delete-ended-orders.ts';
import { type LocalChannel, localChannel } from '#in-process/local-channel.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import type { Breaker } from '#ports/breaker.ts';
import type { Channels } from '#ports/channels.ts';
import type { Clock } from '#ports/clock.ts';
import type { Delivery } from '#ports/delivery.ts';
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

export interface LocalReeveOptions {
  readonly workflows: readonly WorkflowDefinition[];
  readonly agents: readonly AgentImplementation[];
  /** The database file, or `:memory:` for a test. */
  readonly path: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** The circuit breaker of an agent's remote service. */
  readonly breakerFor: (service: string) => Breaker;
  /** How often the Supervisor looks, ms. Default 1 s. */
  readonly sweepPeriodMs?: number;
  /** How long an order is kept after its end, ms. Default 30 days. */
  readonly keepEndedMs?: number;
  /** Where status messages go, by the name that `replyTo` gives. Default: none. */
  readonly responseChannels?: Readonly<Record<string, Respond>>;
  /** Told of every order in Error. Default: the log alone. */
  readonly onAlert?: (alert: Alert) => Promise<void>;
  /** How operators call the command line of this Reeve, for what an alert proposes. Default `npx reeve`. */
  readonly command?: string;
}

export interface LocalReeve {
  readonly registry: WorkflowRegistry;
  readonly submission: Submission;
  readonly operator: Operator;
  readonly supervisor: Supervisor;
  readonly store: StateStore;
  /** Resolves when everything that the last process left alive was taken back; never after `close`. */
  readonly recovered: Promise<void>;
  /** Until then; whatever is asked of Reeve is done all the same. */
  isStarting(): boolean;
  /** When the last completed sweep began; null before the first. */
  lastSweepAt(): number | null;
  /** What goes on: counted since the start, but for the orders that are alive. */
  activity(): Activity;
  /** Every committed record, as it happens; the function given back ends it. */
  watch(listener: (record: ProcessRecord) => void): () => void;
  /** Rows of the store that were found damaged since the start. */
  damaged(): number;
  /** The code with which the store refuses writes; null while it takes them. */
  refusal(): string | null;
  /** The code of what every write fails with at present, because the store refuses it or is closed; null when writes succeed. */
  failure(): string | null;
  /** Copies the data to a file that does not exist, while orders go on. */
  backup(to: string): Promise<void>;
  /** Stops delivering, sweeping and telling, and closes the store. */
  close(): void;
}

const defaultSweepPeriodMs = 1_000;
const defaultKeepEndedMs = 30 * 24 * 3_600_000;
/** Calls to one remote service at once: what a small service bears. */
const agentCallsMax = 256;
const messageBatchMax = 256;
const retryAfterMs = 250;

/**
 * Starts it, and resolves as soon as it takes orders. What a crash left is recovered, uncharged, in due order:
 * the first ten before the promise resolves, the rest beside what is asked of it since; see `recovered`.
 *
 * @throws {DefinitionError} `agent-missing` when a workflow names an agent that is not given
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
    // What has not started must neither run on nor keep its lock on the data.
    close();
    throw error;
  }
}

interface Parts {
  readonly registry: WorkflowRegistry;
  readonly store: SqliteStore;
  readonly sweepPeriodMs: number;
  /** What ends each part that was started; called in the opposite order. */
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
  const roles = assembleProcess({
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
    links.serve(agent, runner);
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
    // Not beside the recovery, which reads the same rows and is waited for.
    if (!isClosed) open.push(backgroundCheck({ store, clock, log }));
    // Only now: what the recovery wrote need not be read again.
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
  serve(agent: AgentImplementation, runner: AgentRunner): void;
  close(): void;
}

/** The channels of one process: nudges, a request and a reply channel for each agent. */
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
    serve({ contract: { name } }, runner) {
      const serveOne = async ([request]: readonly Request[]) =>
        request === undefined ? [] : [await runner.handle(request)];
      requests.set(name, make<Request>(`requests-${name}`, 1, agentCallsMax, serveOne));
    },
    close() {
      for (const channel of open) channel.close();
    },
  };
}
