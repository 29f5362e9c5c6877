/**
 * A deployment as it is under load, without faults: functions whose instances run one invocation at a time and are made
 * anew, queues with maximum concurrency, an index that lags, and a service that is the bottleneck. The roles and what they
 * share are those of the simulated worlds (lib/sim/world/deployed-functions.ts).
 */
import type { MessageCodec } from '#core/codec/messages/message-codec.ts';
import { nudgeCodec } from '#core/codec/messages/nudge-codec.ts';
import { replyCodec } from '#core/codec/messages/reply-codec.ts';
import { requestCodec } from '#core/codec/messages/request-codec.ts';
import type { AgentName } from '#core/model/ids.ts';
import type { Delivery } from '#ports/delivery.ts';
import type { Log } from '#ports/log.ts';
import { deliverMessages } from '#roles/queue-delivery.ts';
import { implementation } from '#sim/orders/sim-workflows.ts';
import { learnTime } from '#sim/ports/deliveries.ts';
import { laggingHeld } from '#sim/ports/held-index.ts';
import { coordinationTable } from '#sim/ports/sim-coordination.ts';
import { ejectionTable } from '#sim/ports/sim-flow.ts';
import { type LimitTable, limitTable } from '#sim/ports/sim-limit-items.ts';
import { firstSent, type SimMessage } from '#sim/ports/sim-queue.ts';
import { type SimTable, simTable, type Write } from '#sim/ports/sim-table.ts';
import type { ProcessRoles } from '#sim/world/one-process.ts';
import type { SentQueue, SharedByFunctions } from '#sim/world/shared-infrastructure.ts';
import type { SimContext } from '#sim/world/sim-context.ts';
import { type FunctionPool, functionPool } from './function-pool.ts';
import { instanceOf } from './load-instance.ts';
import { loadQueues } from './load-queues.ts';
import { type LoadServices, loadServices } from './load-services.ts';
import { bottleneck, type LoadSetting } from './load-setting.ts';

export interface LoadWorld {
  readonly services: LoadServices;
  /** The front door. */
  readonly door: FunctionPool<ProcessRoles>;
  /** A tick of the Supervisor. */
  sweep(): Promise<void>;
  /** The queues of requests to the agent that is the bottleneck. */
  readonly requests: readonly SentQueue[];
  /** How often each warning and error was logged. */
  readonly events: ReadonlyMap<string, number>;
  /** How many instances the Scheduler has had. */
  schedulers(): number;
  /** When limits were written. */
  readonly limitWrites: readonly number[];
}

export interface LoadWorldOptions {
  readonly setting: LoadSetting;
  readonly around: SimContext;
  readonly onWrite: (write: Write) => void;
  /** False: nothing receives replies. */
  readonly hasScheduler?: boolean;
}

const sweepPeriodMs = 60_000;
const shards = 3;
/** How late indexes are, ms. */
const lagMs = { least: 1, most: 300 };

export function loadWorld(options: LoadWorldOptions): LoadWorld {
  const { setting, around, hasScheduler = true } = options;
  const events = new Map<string, number>();
  const log = countingLog(events);
  const pool = (name: string, most?: number): FunctionPool<ProcessRoles> =>
    functionPool({
      around,
      ...(most !== undefined && { most }),
      make: (number) =>
        instanceOf(shared, setting, log, `${name}-${number}`, skewed(name, setting, around)),
    });
  const [door, supervisor] = [pool('door'), pool('supervisor')];
  const scheduler = pool('scheduler', setting.schedulersMax);
  const agents = new Map<AgentName, FunctionPool<ProcessRoles>>();

  function poolOf(agent: AgentName): FunctionPool<ProcessRoles> {
    const own = agents.get(agent) ?? pool(agent);
    agents.set(agent, own);
    return own;
  }

  const received = receiving(log);
  const { queues, divided } = loadQueues(setting, around, {
    nudges: (batch) =>
      scheduler.run((roles) => received(roles, batch, nudgeCodec, roles.scheduler.onNudges)),
    requests: (agent) => (batch) =>
      poolOf(agent).run((roles) =>
        received(roles, batch, requestCodec, (requests, carriers) =>
          Promise.all(
            requests.map((request, at) =>
              roles.runner(agent).handle(request, carriers[at]?.receives === 1),
            ),
          ),
        ),
      ),
    replies: (agent) => async (batch) =>
      hasScheduler
        ? scheduler.run((roles) =>
            received(roles, batch, replyCodec, async (replies, carriers) => {
              const noted = roles.noteReplies(agent, firstSent(carriers));
              const settled = await roles.scheduler.onReplies(agent, replies);
              await noted;
              return settled;
            }),
          )
        : [],
  });
  const services = loadServices(setting, around);
  const limitWrites: number[] = [];
  const limitItems = watchedTable(limitTable(), () => limitWrites.push(around.timeline.now()));
  const shared: SharedByFunctions & { readonly table: SimTable } = {
    ...tablesOf(options),
    ...{ around, queues, sweepPeriodMs },
    agents: {
      implementation: (agent, machine, surroundings) =>
        implementation(agent, machine, { services, ...surroundings }),
    },
    count: (_agent, _call, work) => work(),
    dividedQueues: divided,
    limitedAgents: setting.limits === undefined ? [bottleneck] : [],
    limits: setting.limits ?? new Map(),
    limitItems,
    ...{ rules: unchecked, probes: uncheckedProbes },
    breach() {},
    concurrency: Number.POSITIVE_INFINITY,
    backlog: { ordersMax: 100_000, backlogMaxMs: setting.backlogMaxMs },
    readEveryOrders: 10,
    recovery: 'sweep',
    leaseMs: 1.5 * sweepPeriodMs,
    handOver: (shard) => void sweeping(supervisor, (tick) => tick.shard(shard, () => true)),
  };
  return {
    ...{ services, events, door },
    schedulers: scheduler.made,
    limitWrites,
    requests: [...divided.values()].flat(),
    sweep: () => sweeping(supervisor, (tick) => tick.tick(), true),
  };
}

function tablesOf({ around: { timeline, chance }, onWrite }: LoadWorldOptions) {
  const lag = () => chance.between(lagMs.least, lagMs.most);
  const held = laggingHeld(timeline, lag);
  const table = simTable({
    ...{ now: timeline.now, shardsMax: shards, sweepPeriodMs },
    indexLag: lag,
    onWrite(write) {
      held.wrote(write.after);
      onWrite(write);
    },
  });
  return {
    ...{ table, held },
    coordination: coordinationTable(),
    circuits: new Map(),
    ejections: ejectionTable(),
    replyDelays: new Map(),
    report: { latest: null },
    agentSettings: null,
  };
}

type Tick = ReturnType<Extract<ProcessRoles['sweeping'], { kind: 'invoked' }>['tick']>;

function sweeping(
  supervisor: FunctionPool<ProcessRoles>,
  work: (tick: Tick) => Promise<unknown>,
  nudgesHeld = false,
): Promise<void> {
  return supervisor.run(async ({ sweeping: own }) => {
    if (own.kind !== 'invoked') return;
    await work(own.tick());
    if (nudgesHeld) await own.nudgeHeld();
  });
}

/** How far the clock of an instance is ahead: that of the front door the least, so that its orders may be claimed at once. */
const skewed = (name: string, { skewMs = 0 }: LoadSetting, { chance }: SimContext) =>
  skewMs === 0 || name === 'door' ? -skewMs / 2 : chance.between(0, skewMs) - skewMs / 2;

/** Notes each write. */
function watchedTable(table: LimitTable, onWrite: () => void): LimitTable {
  return {
    advance(name, change) {
      onWrite();
      return table.advance(name, change);
    },
    occupy(name, change) {
      onWrite();
      return table.occupy(name, change);
    },
    extend(name, holder, extension) {
      onWrite();
      return table.extend(name, holder, extension);
    },
  };
}

const receiving =
  (log: Log) =>
  <Message>(
    roles: Pick<ProcessRoles, 'learnTime'>,
    batch: readonly SimMessage[],
    codec: MessageCodec<Message>,
    receive: (
      messages: readonly Message[],
      carriers: readonly SimMessage[],
    ) => Promise<readonly Delivery[]>,
  ): Promise<readonly SimMessage[]> => {
    learnTime(roles, batch);
    return deliverMessages(batch, { codec, receive, log, park: async () => {} });
  };

function countingLog(events: Map<string, number>): Log {
  const count = (event: string) => void events.set(event, (events.get(event) ?? 0) + 1);
  return { info() {}, warn: count, error: count };
}

const uncheckedProbes: SharedByFunctions['probes'] = { began: () => () => {} };
/** The rules are checked in the simulated worlds, which have faults. */
const unchecked: SharedByFunctions['rules'] = {
  nudging() {},
  requesting() {},
  receiving() {},
  checking() {},
  replying() {},
  unanswered() {},
  unsent: () => true,
};
