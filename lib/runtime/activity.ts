/** What goes on, gathered from the records as they are committed, in bounded memory. */
import { CorruptDataError } from '#core/errors.ts';
import type { AgentName, OrderId } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { findStep, type ProcessRecord, underWay } from '#core/record.ts';
import type { WorkflowRegistry } from '#core/registry.ts';
import type { Activity } from '#http/api-ports.ts';
import type { BreakerState } from '#ports/breaker.ts';
import type { Clock } from '#ports/clock.ts';
import type { Page, StateStore } from '#ports/state-store.ts';
import { type AgentCalls, agentCalls } from './agent-calls.ts';
import { lastHour } from './last-hour.ts';
import { standing } from './standing.ts';

export interface ActivityOptions {
  readonly registry: WorkflowRegistry;
  readonly store: Pick<StateStore, 'due' | 'records' | 'list'>;
  readonly clock: Clock;
  readonly agents: readonly {
    readonly name: AgentName;
    readonly breaker: () => BreakerState | null;
  }[];
}

export interface ActivityCollector {
  /** A record was committed, over that one. */
  on(record: ProcessRecord, before: ProcessRecord | null): void;
  /** Reads, once, those of the orders alive at first that have not changed since, and counts them too. */
  countRest(): Promise<void>;
  read(): Activity;
}

/** Asks the store for the orders that are alive; nothing may be committed until it resolves. */
export async function activityCollector(options: ActivityOptions): Promise<ActivityCollector> {
  const { registry, store, clock, agents } = options;
  const since = clock.now();
  const hour = lastHour(() => ({ submitted: 0, processed: 0, undone: 0, error: 0 }));
  const calls = new Map(agents.map(({ name }) => [name, agentCalls()]));
  const alive = standing(registry);
  /** Until all are: a change of one that is not must not take out what was never added. */
  let counted: Set<OrderId> | null = new Set();
  for await (const record of stopped(store)) {
    alive.add(record);
    counted.add(record.orderId);
  }
  const atFirst = await dueOnes(store);

  return {
    on(record, before) {
      const now = clock.now();
      alive.add(record);
      if (before === null) hour.now(now).submitted += 1;
      else {
        if (counted === null || counted.has(record.orderId)) alive.takeOut(before);
        noteCalls(calls, record, before, now);
      }
      counted?.add(record.orderId);
      const ended = endings[record.processState];
      if (ended !== null && before?.processState !== record.processState) hour.now(now)[ended] += 1;
    },
    async countRest() {
      for (const orderId of atFirst) {
        if (counted?.has(orderId) !== false) continue;
        const record = await readable(store, orderId);
        // It may have been committed while it was read.
        if (record === undefined || counted.has(orderId)) continue;
        alive.add(record);
        counted.add(orderId);
      }
      counted = null;
    },
    read() {
      const now = clock.now();
      return {
        since,
        minutes: hour.all(now).map(({ at, slot }) => ({ at, ...slot })),
        workflows: alive.workflows(),
        agents: agents.map(({ name, breaker }) => {
          const own = calls.get(name) ?? agentCalls();
          const shared = { ...alive.agent(name), ...own.counts(now) };
          return { name, ...shared, latencyMs: own.latencyMs(), breaker: breaker() };
        }),
      };
    },
  };
}

const endings = {
  Pending: null,
  Processing: null,
  Processed: 'processed',
  Undone: 'undone',
  Error: 'error',
} as const;

/** The last entry of the history says which call ended, and the record before when it went out. */
function noteCalls(
  calls: ReadonlyMap<AgentName, AgentCalls>,
  record: ProcessRecord,
  before: ProcessRecord,
  now: number,
): void {
  const entry = record.history.at(-1);
  switch (entry?.type) {
    case 'stepSucceeded':
    case 'undoSucceeded': {
      const step = findStep(before, entry.step);
      if (step === undefined || !underWay(step.progress)) return;
      const sentAt = step.progress.endBy - step.policy.maxDurationMs;
      calls.get(step.agent)?.succeeded(now, Math.max(0, entry.at - sentAt));
      return;
    }
    case 'stepFailed':
    case 'undoFailed': {
      const step = findStep(before, entry.step);
      if (step !== undefined) calls.get(step.agent)?.failed(now);
      return;
    }
    case 'expired':
      for (const name of entry.steps) {
        const step = findStep(before, name);
        if (step !== undefined) calls.get(step.agent)?.timedOut(now);
      }
      return;
    case 'submit':
    case 'claim':
    case 'heartbeat':
    case 'excused':
    case 'resubmit':
    case 'cancel':
    case undefined:
      return;
  }
}

async function* stopped(store: ActivityOptions['store']): AsyncGenerator<ProcessRecord> {
  let cursor: string | null = null;
  do {
    const page: Page<ProcessRecord> = await store.list({
      processState: 'Error',
      limit: limits.sweepPage,
      cursor,
    });
    yield* page.items;
    cursor = page.cursor;
  } while (cursor !== null);
}

/** All that are alive and not in Error, and some of those (R16). */
async function dueOnes(store: ActivityOptions['store']): Promise<readonly OrderId[]> {
  const found: OrderId[] = [];
  let cursor: string | null = null;
  do {
    const page: Page<OrderId> = await store.due({
      shard: 0,
      from: 0,
      to: limits.instantMaxMs,
      limit: limits.sweepPage,
      cursor,
    });
    found.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== null);
  return found;
}

/** A spoiled order is not counted; the sweep that meets it says so in the log. */
async function readable(
  store: ActivityOptions['store'],
  orderId: OrderId,
): Promise<ProcessRecord | undefined> {
  try {
    return (await store.records([orderId])).get(orderId);
  } catch (error) {
    if (error instanceof CorruptDataError) return undefined;
    throw error;
  }
}
