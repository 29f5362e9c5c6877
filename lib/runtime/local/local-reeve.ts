/**
 * Reeve in one process: the roles over the SQLite state store and in-process channels. Used by `npm start`, by tests,
 * and by applications that embed Reeve.
 */

import { dirname, resolve } from 'node:path';
import { agentGroups } from '#core/definition/agent-group.ts';
import { isDrained } from '#core/definition/agent-settings.ts';
import { checkOptions } from '#core/definition/option-forms.ts';
import {
  checkMarks,
  poolsOf,
  type WorkflowRegistry,
  workflowRegistry,
} from '#core/definition/registry.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { schedulerId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { makeFolder } from '#embedded/folder.ts';
import { backgroundCheck } from '#embedded/integrity/background-check.ts';
import { type SqliteStore, sqliteStore } from '#embedded/sqlite-store.ts';
import { storeProbe } from '#embedded/store-probe.ts';
import type { Activity } from '#http/api-ports.ts';
import {
  type OrderBacklog,
  type OrderBacklogOptions,
  orderBacklog,
  type Refused,
} from '#in-process/backlog/order-backlog.ts';
import type { CircuitEvent } from '#in-process/circuit-watch.ts';
import { retention } from '#in-process/delete-ended-orders.ts';
import { type LocalSettings, localSettings } from '#in-process/local-settings.ts';
import { type TenantWeights, tenantWeights } from '#in-process/tenant-weights.ts';
import type { AgentImplementation } from '#ports/agent-implementation.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Alert } from '#ports/publisher.ts';
import type { Random } from '#ports/random.ts';
import type { StateStore } from '#ports/state-store.ts';
import type { AgentControl } from '#roles/agent-control.ts';
import {
  assembleAgent,
  assembleAgentControl,
  assembleLimitControl,
  assembleProcess,
} from '#roles/assemble.ts';
import type { LimitControl } from '#roles/limit-control.ts';
import type { Operator } from '#roles/operator.ts';
import type { Submission } from '#roles/submission.ts';
import type { Supervisor } from '#roles/supervisor.ts';
import { copyingAgent } from '#runtime/copies/agent-copies.ts';
import { copyingOperator } from '#runtime/copies/operator-copies.ts';
import { copyingWorkflows } from '#runtime/copies/workflow-copies.ts';
import { consequencesLog } from '#runtime/node/consequences-log.ts';
import { instanceName, sha256, systemIds } from '#runtime/node/system-ids.ts';
import { activityAndLoad, type Load } from './activity/load.ts';
import { localAgentReports } from './agent-reports.ts';
import { deliverChanges, type Respond } from './deliver-changes.ts';
import { type CodeError, callErrors } from './errors/code-error.ts';
import { guarded } from './errors/guarded-listener.ts';
import { workflowErrors } from './errors/workflow-errors.ts';
import { checkAgents, localChannels, localGates } from './local-channels.ts';
import { type LocalOrders, localOrders } from './local-order.ts';
import { checkConcurrency, checkedNumbers, startForm } from './option-checks.ts';
import { orderChanges } from './order-changes.ts';
import { type StartPorts, withDefaults } from './start-options.ts';

/** Options of {@link startLocalReeve}. */
export interface LocalReeveOptions {
  readonly workflows: readonly WorkflowDefinition[];
  readonly agents: readonly AgentImplementation[];
  /**
   * The database file, whose folder is created; `:memory:` for a test. Not a URI. Default `.reeve/reeve.db`, as `reeve dev`: programs
   * with other workflows need a file of their own, because an order whose workflow is not given stops in Error.
   */
  readonly path?: string;
  /** Default: that of the system. */
  readonly clock?: Clock;
  /** Default: that of the system. */
  readonly random?: Random;
  /** Default: errors, as lines of JSON on standard error. */
  readonly log?: Log;
  /** The period of the Supervisor's sweeps, ms, from 10 to an hour. Default 1 s. */
  readonly sweepPeriodMs?: number;
  /** How long an order is kept after its end, ms, from 0 to 3,650 days. Default 30 days. */
  readonly keepEndedMs?: number;
  /** The response channels by name, as in `replyTo`. Default: none. */
  readonly responseChannels?: Readonly<Record<string, Respond>>;
  /** The weights of tenants, 0.01 to 100, by which they share the process under load. Default: 1 for each. */
  readonly tenantWeights?: ReadonlyMap<string, number>;
  /** How long an order may wait to be begun, ms, from 1 s to a day: one that would wait for longer is refused. Default 15 minutes. */
  readonly backlogMaxMs?: number;
  /** Called for every order in Error. Default: the log only. */
  readonly onAlert?: (alert: Alert) => Promise<void>;
  /** Called when the circuit of an agent opens, because its service is unavailable, and when it is closed again. Default: the log only. */
  readonly onCircuit?: (event: CircuitEvent) => void;
  /**
   * Called with each error that the code of an agent throws (a `PermanentFault` is no error, but an answer), and each that an `input` or a
   * `when` throws. Messages and stacks may quote details of orders: show them where you develop. The same error comes again with each
   * repeated call. Default: with a `log`, the log only, which has `call-failed` without the message; otherwise a line on standard error
   * for the first error of each kind, without its message.
   */
  readonly onCodeError?: (error: CodeError) => void;
  /**
   * The command line of this Reeve, for the remedies in alerts. As a promise, where it contains an address that is known only when Reeve listens:
   * alerts wait for it. Default `npx reeve`.
   */
  readonly command?: string | Promise<string>;
}

/** A running Reeve. */
export interface LocalReeve extends LocalOrders, Pick<Load, 'isOverloaded' | 'isCircuitOpen'> {
  readonly clock: Clock;
  readonly log: Log;
  readonly registry: WorkflowRegistry;
  readonly submission: Submission;
  readonly operator: Operator;
  /** What operators see and change of agents. */
  readonly agents: AgentControl;
  /** What operators see and change of limits. */
  readonly limits: LimitControl;
  readonly supervisor: Supervisor;
  /** What it returns is in use: change nothing of it. */
  readonly store: StateStore;
  /** Resolves when all live orders of the former process are interrupted; never after `close`. */
  readonly recovered: Promise<void>;
  /** True until then; Reeve already works. */
  isStarting(): boolean;
  /** When the last completed sweep began; null before the first. */
  lastSweepAt(): number | null;
  /** Counts since the start, and the present numbers of live orders. */
  activity(): Activity;
  /** The orders that were refused since the start, because too many waited. */
  refused(): Refused;
  /** Calls `listener` with every committed record, which is in use: change nothing of it. The returned function ends that. */
  watch(listener: (record: ProcessRecord) => void): () => void;
  /** The number of rows found damaged since the start. */
  damaged(): number;
  /** The code of the error with which the store refuses writes; null while it accepts them. */
  refusal(): string | null;
  /**
   * Changes the weight of a tenant, 0.01 to 100, also for work that waits already. It lasts until the end of the process.
   *
   * @throws {ReeveError} `tenant-weight-range`
   */
  setTenantWeight(tenant: string, weight: number): void;
  /** Copies the data to a file that does not exist, while orders continue. */
  backup(to: string): Promise<void>;
  /**
   * Stops deliveries and sweeps, aborts the `signal` of each call of an agent in flight, and closes the store. Code of an agent that
   * ignores its signal keeps the process running. These calls may have had an effect: the next start makes them again, under the
   * same idempotency key, and counts no failure.
   */
  close(): void;
  /** As `close`, for `using`. */
  [Symbol.dispose](): void;
}

/**
 * Starts Reeve; resolves as soon as it accepts orders. Live orders of the former process are recovered in due order,
 * without a failure counted: the first ten before the promise resolves, the others in the background; see `recovered`.
 *
 * @throws {DefinitionError} `agent-missing` when `agents` has no implementation of an agent of a workflow, `agent-twice` when it has two;
 *   `options-invalid` when an option is missing, of a wrong kind or not known
 * @throws {ReeveError} `option-range` when a number of the options is out of its range, or the `concurrency` of an agent
 * @throws {ReeveError} `tenant-weight-range` when a weight is out of its range
 * @throws {ReeveError} `store-in-use` when another process has the database open; see sqlite-store.ts
 * @throws {UnavailableError} `sweep-unwritten` when the state store cannot be written
 */
export async function startLocalReeve(given: LocalReeveOptions): Promise<LocalReeve> {
  checkOptions(startForm, 'startLocalReeve', given);
  const options = withDefaults(given);
  const { sweepPeriodMs, keepEndedMs, backlogMaxMs } = checkedNumbers(options);
  const onCodeError = guarded('onCodeError', options.onCodeError, options.log);
  const { noting, onRecord } = workflowErrors(onCodeError);
  const workflows = copyingWorkflows(options.workflows).map(noting);
  const registry = workflowRegistry(workflows);
  checkMarks(options.workflows);
  checkAgents(options.workflows, options.agents);
  checkConcurrency(options.agents);
  const weights = tenantWeights(options.tenantWeights);
  if (options.path !== inMemory) makeFolder(dirname(resolve(options.path)));
  const store = sqliteStore({ path: options.path, sweepPeriodMs, log: options.log });
  store.watchRecords(onRecord);
  const open: (() => void)[] = [store.close];
  let isClosed = false;
  const close = () => {
    isClosed = true;
    for (const each of open.splice(0).reverse()) each();
  };
  try {
    const refusal = () => (isClosed ? 'store-closed' : store.refusal());
    const log = consequencesLog(options.log, refusal);
    return {
      ...(await assemble(
        { ...options, workflows, agents: options.agents.map(copyingAgent), log, onCodeError },
        {
          ...{ registry, store, weights, backlogMaxMs, sweepPeriodMs, keepEndedMs, open },
          isClosed: () => isClosed,
        },
      )),
      refusal,
      setTenantWeight: weights.set,
      close,
      [Symbol.dispose]: close,
    };
  } catch (error) {
    // A failed start must leave nothing running, and must release the lock on the data.
    close();
    throw error;
  }
}

const inMemory = ':memory:';

const backlogOf = (
  workflows: readonly WorkflowDefinition[],
  settings: LocalSettings,
  options: Pick<OrderBacklogOptions, 'backlogMaxMs' | 'weights' | 'clock'>,
): OrderBacklog =>
  orderBacklog({
    ...options,
    needs: agentGroups(workflows),
    takes: (agent) => !isDrained(settings.current(), agent),
    pools: poolsOf(workflows),
  });

interface Parts {
  readonly registry: WorkflowRegistry;
  readonly store: SqliteStore;
  readonly weights: TenantWeights;
  readonly backlogMaxMs: number;
  readonly sweepPeriodMs: number;
  readonly keepEndedMs: number;
  /** Closes the started parts; called in reverse order. */
  readonly open: (() => void)[];
  readonly isClosed: () => boolean;
}

async function assemble(
  options: LocalReeveOptions & StartPorts,
  { registry, store, weights, backlogMaxMs, sweepPeriodMs, keepEndedMs, open, isClosed }: Parts,
): Promise<Omit<LocalReeve, 'close' | 'refusal' | typeof Symbol.dispose | 'setTenantWeight'>> {
  const { clock, log, random } = options;
  const instance = instanceName();
  const settings = localSettings(store.agentSettings, await store.agentSettings.read());
  const backlog = backlogOf(options.workflows, settings, { backlogMaxMs, weights, clock });
  const links = localChannels(
    { clock, log, weights },
    {
      onNudges: (nudges) => roles.scheduler.onNudges(nudges),
      onReplies: (agent, replies) => roles.scheduler.onReplies(agent, replies),
    },
  );
  open.push(links.close);
  const responses = new Map(Object.entries(options.responseChannels ?? {}));
  const gates = localGates({ ...options, weights, backlog, settings }, links.channels);
  open.push(gates.close);
  const roles = assembleProcess({
    ...{ gates, settings, store, clock, random, log, registry },
    id: schedulerId(instance),
    channels: links.channels,
    ids: systemIds(clock, instance),
    digest: sha256,
    admission: backlog,
    responseChannels: [...responses.keys()],
    sweepPeriodMs,
    watchRecords: store.watchRecords,
    outageAfterMs: Math.max(10 * sweepPeriodMs, 10_000),
  });
  const agentPorts = {
    ...{ ...options, breakerFor: gates.of, repliesOf: links.repliesOf },
    onCallFailed: callErrors(options.onCodeError),
  };
  const agents = options.agents.map((agent) => {
    const runner = assembleAgent(agent, agentPorts);
    links.serve(agent, runner);
    open.push(runner.close);
    return { name: agent.contract.name, endpoints: runner.endpoints };
  });
  const { activity, load } = activityAndLoad({
    ...{ registry, store, clock, log, gates, backlog, agents },
    channels: () => feed.channels(),
    nudgeSince: links.nudgeSince,
    sweepLagMs: () => sweeps.lagMs(),
  });
  for (const on of [activity.on, backlog.onRecord, gates.onRecord]) store.watchRecords(on);
  const feed = deliverChanges({ command: 'npx reeve', ...options, outbox: store, responses });
  open.push(feed.stop, storeProbe({ store, clock }), activity.stop);
  open.push(retention({ store, keepMs: keepEndedMs, clock, log }), roles.restart.stop);
  const { left: atFirst, sweeps } = await roles.start();
  open.push(sweeps.stop);
  // Those at work only after the recovery, whose writes have counted most of them by then.
  const counted = activity.countRest(roles.restart.done.then(() => atFirst));
  const recovered = roles.restart.done.then(async (changed) => {
    log.info('recovered', { found: atFirst.length, changed });
    // Not during the recovery, which reads the same rows and is more urgent.
    if (!isClosed()) open.push(backgroundCheck({ store, clock, log }));
    await counted;
  });
  log.info('started', { alive: atFirst.length });
  const changes = orderChanges(store.watchRecords);
  open.push(changes.close);
  return {
    ...localOrders({ submission: roles.submission, store, registry, changes }),
    ...{ clock, log, registry, store },
    submission: roles.submission,
    operator: copyingOperator(roles.operator),
    limits: assembleLimitControl({ registry, settings, clock, log }),
    agents: assembleAgentControl({
      ...{ registry, settings, clock, log },
      reports: () => localAgentReports(gates, activity.read),
    }),
    supervisor: roles.supervisor,
    recovered,
    isStarting: () => !roles.restart.isDone(),
    lastSweepAt: sweeps.lastSweepAt,
    activity: activity.read,
    refused: backlog.refused,
    ...load,
    ...{ damaged: store.damaged, backup: store.backup },
    watch: (listener) => store.watchRecords(guarded('watch', listener, log)),
  };
}
