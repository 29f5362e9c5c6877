/** The whole of Reeve in one process, with virtual time. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import type { StatusMessage } from '#core/codec/status-message.ts';
import { type AgentContract, defineAgent, type UndoAbility } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { Change } from '#core/model/change.ts';
import type { OrderId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import { replay } from '#core/view/replay.ts';
import {
  type AgentImplementation,
  type Call,
  PermanentFault,
  TransientFault,
} from '#ports/agent-implementation.ts';
import type { Alert } from '#ports/publisher.ts';
import {
  type LocalReeve,
  type LocalReeveOptions,
  startLocalReeve,
} from '#runtime/local/local-reeve.ts';
import { type TestLog, testLog } from '../support/log.ts';
import { settled, type VirtualClock, virtualClock } from '../support/virtual-clock.ts';

type Empty = { readonly [key: string]: never };
const contract = (name: string, undo: UndoAbility): AgentContract<Empty, Empty> =>
  defineAgent({ name, input: z.object({}), output: z.object({}), undo });

const flour = contract('flour', 'offered');
const oven = contract('oven', 'offered');
const shop = contract('shop', 'impossible');

const input = () => ({});
const bread = defineWorkflow({ name: 'bread', version: 1, details: z.object({}) })
  .step('flour', {
    agent: flour,
    completeWithin: 4_000,
    retries: 1,
    coolDown: { after: 30_000, times: 1 },
    onExhausted: 'hold',
    input,
  })
  .step('bake', {
    agent: oven,
    after: ['flour'],
    completeWithin: 4_000,
    maxDuration: 20_000,
    retries: 0,
    input,
  })
  .step('sell', { agent: shop, after: ['bake'], irreversible: true, onFault: 'hold', input })
  .build();

interface Asked {
  readonly agent: string;
  readonly action: 'perform' | 'undo';
  readonly call: Call;
}
type Script = (action: 'perform' | 'undo', call: Call) => Promise<void>;

interface Bakery {
  readonly reeve: LocalReeve;
  readonly clock: VirtualClock;
  readonly log: TestLog;
  readonly asked: Asked[];
  readonly alerts: Alert[];
  submit(replyTo?: string): Promise<OrderId>;
  record(id: OrderId): Promise<ProcessRecord>;
}

const works: Script = async () => {};
const hangs: Script = () => new Promise(() => {});

async function bakery(
  scripts: Partial<Record<'flour' | 'oven' | 'shop', Script>> = {},
  options: Partial<LocalReeveOptions> = {},
): Promise<Bakery> {
  const clock = virtualClock();
  const log = testLog();
  const asked: Asked[] = [];
  const alerts: Alert[] = [];
  const agent = (
    of: AgentContract<Empty, Empty>,
    name: keyof typeof scripts,
  ): AgentImplementation => {
    const act = (action: 'perform' | 'undo') => async (_: unknown, call: Call) => {
      asked.push({ agent: name, action, call });
      await (scripts[name] ?? works)(action, call);
      return {};
    };
    return {
      contract: of,
      perform: act('perform'),
      ...(of.undo === 'offered' && {
        undo: async (target: unknown, call: Call) => {
          await act('undo')(target, call);
        },
      }),
    };
  };
  const reeve = await startLocalReeve({
    workflows: [bread],
    agents: [agent(flour, 'flour'), agent(oven, 'oven'), agent(shop, 'shop')],
    path: ':memory:',
    clock,
    log,
    random: { next: () => 0.5 },
    onAlert: async (alert) => {
      alerts.push(alert);
    },
    ...options,
  });
  onTestFinished(() => reeve.close());
  return {
    reeve,
    clock,
    log,
    asked,
    alerts,
    async submit(replyTo) {
      const outcome = await reeve.submission.submit(
        {
          workflow: 'bread',
          details: {},
          priority: 'normal',
          tenant: null,
          correlationId: null,
          replyTo: replyTo ?? null,
          key: null,
        },
        'ada',
      );
      if (outcome.kind !== 'accepted') throw new Error(outcome.code);
      await settled();
      return outcome.orderId;
    },
    async record(id) {
      const found = (await reeve.store.records([id])).get(id);
      if (found === undefined) throw new Error('the order is not there');
      return found;
    },
  };
}

const steps = (record: ProcessRecord) => record.steps.map(({ progress }) => progress.state);
const did = (asked: readonly Asked[]) => asked.map(({ agent, action }) => `${action} ${agent}`);

test('an order without failures is Processed without any wait', async () => {
  const { submit, record, asked } = await bakery();
  const ended = await record(await submit());
  expect(ended).toMatchObject({ processState: 'Processed', failureCount: 0 });
  expect(did(asked)).toEqual(['perform flour', 'perform oven', 'perform shop']);
});

test('after a permanent fault completed steps are undone, the last first', async () => {
  const { submit, record, asked } = await bakery({
    oven: async (action) => {
      if (action === 'perform') throw new PermanentFault('cold', 'no gas', 'none');
    },
  });
  const ended = await record(await submit());
  expect(ended).toMatchObject({ processState: 'Undone', fault: { code: 'cold', step: 'bake' } });
  expect(steps(ended)).toEqual(['Undone', 'Failed', 'NotStarted']);
  expect(did(asked)).toEqual(['perform flour', 'perform oven', 'undo flour']);
});

test('a step in doubt is undone before the steps that precede it (R10)', async () => {
  const { submit, record, asked, clock } = await bakery({
    oven: (action) => (action === 'perform' ? new Promise(() => {}) : Promise.resolve()),
  });
  const id = await submit();
  await clock.advance(7_000);
  expect(did(asked)).toEqual(['perform flour', 'perform oven', 'undo oven', 'undo flour']);
  expect(await record(id)).toMatchObject({ processState: 'Undone', failureCount: 1 });
});

test('calls to an unavailable service are retried until it is available', async () => {
  let down = true;
  const { submit, record, clock, asked } = await bakery({
    flour: async () => {
      if (down) throw new TransientFault('http-503', 'down');
    },
  });
  const id = await submit();
  await clock.advance(5_500);
  down = false;
  await clock.advance(10_000);
  const ended = await record(id);
  expect(ended).toMatchObject({ processState: 'Processed', failureCount: 1 });
  const keys = asked
    .filter(({ agent }) => agent === 'flour')
    .map(({ call }) => call.idempotencyKey);
  expect(new Set(keys)).toEqual(new Set([`${id}/flour`]));
  expect(replay(ended, { definition: bread, details: {} }).at(-1)).toEqual(ended);
});

test('a step that hangs is retried, cools down, and stops in Error with one alert (R17)', async () => {
  let hanging = true;
  const { submit, record, clock, alerts, asked, reeve } = await bakery({
    flour: (action, call) => (hanging ? hangs(action, call) : works(action, call)),
  });
  const id = await submit();
  await clock.advance(60_000);
  expect(await record(id)).toMatchObject({
    processState: 'Error',
    failureCount: 4,
    fault: { code: 'exhausted', step: 'flour' },
  });
  expect(asked.map(({ call }) => call.attempt)).toEqual([1, 2, 3, 4]);
  expect(alerts).toMatchObject([
    { change: { orderId: id, processState: 'Error' }, remedy: `npx reeve resubmit ${id}` },
  ]);

  hanging = false;
  expect(await reeve.operator.resubmit(id, 'operator')).toMatchObject({ kind: 'done' });
  await settled();
  expect(await record(id)).toMatchObject({ processState: 'Processed' });
  expect(alerts).toHaveLength(1);
});

test('a cancelled order waits for running steps, then undoes them', async () => {
  const gate = Promise.withResolvers<void>();
  const { submit, record, reeve, asked } = await bakery({
    oven: (action) => (action === 'perform' ? gate.promise : Promise.resolve()),
  });
  const id = await submit();
  expect(await reeve.operator.cancel(id, 'operator')).toMatchObject({ kind: 'done' });
  await settled();
  expect(steps(await record(id))).toEqual(['Completed', 'Running', 'NotStarted']);
  gate.resolve();
  await settled();
  expect(await record(id)).toMatchObject({ processState: 'Undone', fault: { code: 'cancelled' } });
  expect(did(asked)).toEqual(['perform flour', 'perform oven', 'undo oven', 'undo flour']);
});

test('a step that takes longer than its deadline continues as long as it sends heartbeats', async () => {
  const gate = Promise.withResolvers<void>();
  const { submit, record, clock, asked } = await bakery({
    oven: (action) => (action === 'perform' ? gate.promise : Promise.resolve()),
  });
  const id = await submit();
  for (let beat = 0; beat < 5; beat += 1) {
    await clock.advance(2_500);
    asked.at(-1)?.call.heartbeat();
  }
  await clock.advance(500);
  gate.resolve();
  await settled();
  expect(await record(id)).toMatchObject({ processState: 'Processed', failureCount: 0 });
  expect(asked.filter(({ agent }) => agent === 'oven')).toHaveLength(1);
});

test('every change reaches the submitter with an increasing sequence, although its channel fails often (R18)', async () => {
  const delivered: Change[] = [];
  let failures = 3;
  const { submit, clock, log } = await bakery(
    {},
    {
      responseChannels: {
        web: async ({ change }) => {
          failures -= 1;
          if (failures >= 0) throw new Error('not now');
          delivered.push(change);
        },
      },
    },
  );
  const id = await submit('web');
  await clock.advance(60_000);
  expect(delivered.map(({ orderId, processState }) => [orderId, processState])).toEqual([
    [id, 'Pending'],
    [id, 'Processing'],
    [id, 'Processed'],
  ]);
  expect(delivered.map(({ sequence }) => sequence)).toEqual([1, 2, 5]);
  expect(log.lines.filter(({ event }) => event === 'notification-failed')).toHaveLength(3);
});

test('after a crash the order continues without a failure, with the same key and a larger attempt', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-restart-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'before.db');
  const first = await bakery({ oven: hangs }, { path });
  const id = await first.submit();
  const copy = join(directory, 'after.db');
  for (const suffix of ['', '-wal']) copyFileSync(path + suffix, copy + suffix);

  const second = await bakery({}, { path: copy });
  await settled();
  expect(await second.record(id)).toMatchObject({ processState: 'Processed', failureCount: 0 });
  expect(did(second.asked)).toEqual(['perform oven', 'perform shop']);
  const [before, after] = [first.asked.at(-1)?.call, second.asked[0]?.call];
  expect(after?.idempotencyKey).toBe(before?.idempotencyKey);
  expect([before?.attempt, after?.attempt]).toEqual([1, 2]);
});

test('undelivered messages of a response channel are kept while it is not registered', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-owed-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'reeve.db');
  const channel = (delivered: string[]) => ({
    web: async ({ change }: StatusMessage) => {
      delivered.push(change.processState);
    },
  });
  const first = await bakery(
    {},
    { path, responseChannels: { web: () => Promise.reject(new Error('down')) } },
  );
  await first.submit('web');
  first.reeve.close();

  const without = await bakery({}, { path });
  await without.clock.advance(60_000);
  expect(without.log.lines.map(({ event }) => event)).toContain('notification-failed');
  without.reeve.close();

  const delivered: string[] = [];
  await bakery({}, { path, responseChannels: channel(delivered) });
  await settled();
  expect(delivered).toEqual(['Pending', 'Processing', 'Processed']);
});

test('a start that fails releases the data', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-failed-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const path = join(directory, 'reeve.db');
  const broken = { contract: flour, perform: async () => ({}) };
  const started = bakery({}, { path, workflows: [], agents: [broken] });
  await expect(started).rejects.toThrow(/Agent flour: its contract says undo is offered/);
  await bakery({}, { path });
});

test('the instant of the last sweep is available', async () => {
  const { reeve, clock } = await bakery();
  await clock.advance(5_000);
  expect(reeve.lastSweepAt()).toBe(clock.now());
});

test('a workflow whose agent is missing is refused at the start', async () => {
  const clock = virtualClock();
  const starting = startLocalReeve({
    workflows: [bread],
    agents: [],
    path: ':memory:',
    clock,
    log: testLog(),
    random: { next: () => 0 },
  });
  await expect(starting).rejects.toThrow(
    /workflow bread@1, step flour: no implementation of agent flour/,
  );
});
