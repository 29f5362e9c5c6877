/** The roles over a real store in memory, with channels that only record messages. */
import { onTestFinished } from 'vitest';
import { type WorkflowRegistry, workflowRegistry } from '#core/definition/registry.ts';
import type { WorkflowDefinition } from '#core/definition/workflow-definition.ts';
import { type OrderId, writeId } from '#core/model/ids.ts';
import type { Nudge, Request } from '#core/model/message.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { sqliteStore } from '#embedded/sqlite-store.ts';
import type { Gates, KnownSettings } from '#ports/gates.ts';
import type { Random } from '#ports/random.ts';
import type { StateStore } from '#ports/state-store.ts';
import { type Transitions, transitions } from '#roles/transitions/transitions.ts';
import { systemClock } from '#runtime/node/system-clock.ts';
import { systemIds, systemRandom } from '#runtime/node/system-ids.ts';
import { type TestLog, testLog } from '../support/log.ts';
import { claimed, house, newOrder } from '../support/orders.ts';
import { type VirtualClock, virtualClock } from '../support/virtual-clock.ts';

/** What happened, in order: the writes that became durable and the messages that left. */
export type Happened =
  | { readonly did: 'commit'; readonly revision: number }
  | { readonly did: 'nudge'; readonly nudge: Nudge }
  | { readonly did: 'request'; readonly request: Request };

export interface RoleScenario {
  readonly store: StateStore;
  readonly clock: VirtualClock;
  readonly log: TestLog;
  readonly registry: WorkflowRegistry;
  readonly transitions: Transitions;
  readonly happened: Happened[];
  readonly requests: () => Request[];
  readonly nudges: () => Nudge[];
  /** Another instance of the same roles, over the same store, perhaps of another release. */
  another(knows?: WorkflowRegistry): Transitions;
  create(id: string): Promise<ProcessRecord>;
  /** Created and claimed: both walls are Running. */
  createClaimed(id: string): Promise<ProcessRecord>;
  record(id: OrderId): Promise<ProcessRecord>;
}

/**
 * `faulty`: the store as the roles see it. `random`: draws the waits between conflicts, which then end
 * when the test lets time pass; without it they end by themselves.
 */
export function roleScenario(
  faulty: (store: StateStore) => StateStore = (store) => store,
  workflows: readonly WorkflowDefinition[] = [house],
  random?: Random,
  gates?: Gates,
  settings?: KnownSettings,
): RoleScenario {
  const clock = virtualClock();
  const log = testLog();
  const real = sqliteStore({ path: ':memory:', sweepPeriodMs: 1_000, log });
  onTestFinished(() => real.close());
  const happened: Happened[] = [];
  const noting: StateStore = {
    ...real,
    async commit(record, replaced) {
      const outcome = await real.commit(record, replaced);
      if (outcome === 'committed') happened.push({ did: 'commit', revision: record.revision });
      return outcome;
    },
  };
  const registry = workflowRegistry(workflows);
  let instances = 0;
  const another = (knows = registry) => {
    instances += 1;
    return transitions({
      store: faulty(noting),
      clock: random === undefined ? { now: clock.now, after: systemClock.after } : clock,
      log,
      random: random ?? systemRandom,
      registry: knows,
      ...(gates !== undefined && { gates }),
      ...(settings !== undefined && { settings }),
      ids: systemIds(clock, `instance-${instances}`),
      channels: {
        nudges: {
          async send(messages) {
            for (const nudge of messages) happened.push({ did: 'nudge', nudge });
          },
        },
        requests: {
          async send(messages) {
            for (const request of messages) happened.push({ did: 'request', request });
          },
        },
      },
    });
  };
  const create = async (id: string) => {
    const { order, record } = newOrder(id, clock.now());
    await real.create(order, record);
    return record;
  };
  return {
    store: real,
    clock,
    log,
    registry,
    happened,
    another,
    create,
    transitions: another(),
    requests: () => happened.flatMap((one) => (one.did === 'request' ? [one.request] : [])),
    nudges: () => happened.flatMap((one) => (one.did === 'nudge' ? [one.nudge] : [])),
    async createClaimed(id) {
      const record = { ...claimed(await create(id), clock.now()), writeId: writeId(`c-${id}`) };
      await real.commit(record);
      return record;
    },
    async record(id) {
      const found = (await real.records([id])).get(id);
      if (found === undefined) throw new Error(`no order ${id}`);
      return found;
    },
  };
}
