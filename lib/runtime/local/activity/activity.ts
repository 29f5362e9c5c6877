/** The activity (counts and latencies), collected from committed records in bounded memory. */

import { poolsOf, type WorkflowRegistry } from '#core/definition/registry.ts';
import type { EndpointStatus } from '#core/flow/endpoint-pool.ts';
import { describeError, UnreadableDataError } from '#core/model/errors.ts';
import type { AgentName, OrderId } from '#core/model/ids.ts';
import { limits } from '#core/model/limits.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { nextTurn } from '#event-loop/turns.ts';
import type { Activity, ChannelActivity, CircuitActivity, FlowActivity } from '#http/api-ports.ts';
import type { Clock } from '#ports/clock.ts';
import type { Log } from '#ports/log.ts';
import type { Page, StateStore } from '#ports/state-store.ts';
import { type AgentCalls, agentCalls } from './agent-calls.ts';
import { noteCalls } from './ended-calls.ts';
import { lastHour } from './last-hour.ts';
import { type LiveCounts, liveCounts } from './live-counts.ts';

/** Orders read before yielding to the event loop: some milliseconds. */
const countedPerTurn = 100;

/** The sources of the activity. */
export interface ActivityOptions {
  readonly registry: WorkflowRegistry;
  readonly store: Pick<StateStore, 'records' | 'list'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The backlogs of the response channels. Default: none. */
  readonly channels?: () => readonly ChannelActivity[];
  readonly agents: readonly CountedAgent[];
  readonly flow: () => FlowActivity;
  /** Counts the same records, each once. */
  readonly also?: RecordCount;
}

/** An agent, with what its calls in progress show. */
export interface CountedAgent {
  readonly name: AgentName;
  readonly circuit: () => CircuitActivity;
  readonly endpoints: () => readonly EndpointStatus[];
}

/** Adds each record, and subtracts the one that it replaced. */
export interface RecordCount extends Pick<LiveCounts, 'add' | 'takeOut'> {
  /** Called once the orders of the former process are counted. */
  counted?(): void;
}

/** Collects the activity of one process. */
export interface ActivityCollector {
  /** Call for each commit. `before`: the revision that `record` replaced; null for a new order. */
  on(record: ProcessRecord, before: ProcessRecord | null): void;
  /**
   * Counts, once, the live orders of the former process that have not changed since the start; yields to other work.
   *
   * @param due all of them that are not in Error; others do no harm. Those in Error are counted before it resolves
   */
  countRest(due: Promise<readonly OrderId[]>): Promise<void>;
  read(): Activity;
  stop(): void;
}

/** Makes the collector; call its `on` for each commit. */
export function activityCollector(options: ActivityOptions): ActivityCollector {
  const { registry, store, clock, agents, also } = options;
  const since = clock.now();
  const hour = lastHour(() => ({ submitted: 0, processed: 0, undone: 0, error: 0 }));
  const calls = new Map(agents.map(({ name }) => [name, agentCalls()]));
  const alive = liveCounts(registry);
  const pools = [...poolsOf(registry.all)];
  /** Null once all are counted. Until then, a change of an uncounted order must not subtract its former record. */
  let counted: Set<OrderId> | null = new Set();
  let isStopped = false;

  function countOnce(record: ProcessRecord): void {
    // A commit may have counted the order during the read.
    if (counted?.has(record.orderId) !== false) return;
    count(record);
    counted.add(record.orderId);
  }

  function count(record: ProcessRecord): void {
    alive.add(record);
    also?.add(record);
  }

  async function countAll(due: Promise<readonly OrderId[]>): Promise<void> {
    for await (const page of stoppedOrders(store)) {
      for (const record of page) countOnce(record);
      await nextTurn();
      if (isStopped) return;
    }
    for (const [place, orderId] of (await due).entries()) {
      if (place % countedPerTurn === 0) await nextTurn();
      if (isStopped) return;
      if (counted?.has(orderId) !== false) continue;
      const record = await readable(store, orderId);
      if (record !== undefined) countOnce(record);
    }
  }

  return {
    on(record, before) {
      const nowMs = clock.now();
      count(record);
      if (before === null) hour.now(nowMs).submitted += 1;
      else {
        if (counted === null || counted.has(record.orderId)) {
          alive.takeOut(before);
          also?.takeOut(before);
        }
        noteCalls(calls, record, before, nowMs);
      }
      counted?.add(record.orderId);
      const ended = endings[record.processState];
      if (ended !== null && before?.processState !== record.processState)
        hour.now(nowMs)[ended] += 1;
    },
    async countRest(due) {
      try {
        await countAll(due);
        if (!isStopped) also?.counted?.();
      } catch (error) {
        // The counts are only displayed: Reeve works without them.
        const reason = describeError(error);
        options.log.error('activity-incomplete', { error: reason });
      }
      counted = null;
    },
    stop() {
      isStopped = true;
    },
    read() {
      const nowMs = clock.now();
      return {
        since,
        isCounting: counted !== null,
        minutes: hour.all(nowMs).map(({ startAt, slot }) => ({ at: startAt, ...slot })),
        workflows: alive.workflows(),
        channels: options.channels?.() ?? [],
        flow: options.flow(),
        pools: pools.map(([name, members]) => ({ members, ...waitingFor(alive, name) })),
        agents: agents.map((agent) => ({
          ...agentNow(agent, calls.get(agent.name) ?? agentCalls(), nowMs),
          ...alive.agent(agent.name),
        })),
      };
    },
  };
}

function waitingFor(alive: LiveCounts, name: AgentName) {
  const { waiting, oldestAt, held } = alive.agent(name);
  return { name, waiting, oldestAt, held };
}

/** An agent without the counts of its orders. */
function agentNow({ name, circuit, endpoints }: CountedAgent, calls: AgentCalls, nowMs: number) {
  const shown = { circuit: circuit(), endpoints: endpoints() };
  return { name, ...calls.counts(nowMs), latencyMs: calls.latencyMs(), ...shown };
}

const endings = {
  Pending: null,
  Processing: null,
  Processed: 'processed',
  Undone: 'undone',
  Error: 'error',
} as const;

/** The orders in Error, page by page. */
async function* stoppedOrders(
  store: ActivityOptions['store'],
): AsyncGenerator<readonly ProcessRecord[]> {
  let cursor: string | null = null;
  do {
    const page: Page<ProcessRecord> = await store.list({
      processState: 'Error',
      limit: limits.sweepPage,
      cursor,
    });
    yield page.items;
    cursor = page.cursor;
  } while (cursor !== null);
}

/** A corrupt order is not counted; the sweep that finds it logs it. */
async function readable(
  store: ActivityOptions['store'],
  orderId: OrderId,
): Promise<ProcessRecord | undefined> {
  try {
    return (await store.records([orderId])).get(orderId);
  } catch (error) {
    if (error instanceof UnreadableDataError) return undefined;
    throw error;
  }
}
