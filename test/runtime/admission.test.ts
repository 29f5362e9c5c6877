/** Which orders one process accepts under overload, in virtual time (R28). */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { defineAgent } from '#core/definition/agent.ts';
import { defineWorkflow } from '#core/definition/workflow.ts';
import type { Priority, ProcessRecord } from '#core/model/record.ts';
import { TransientFault } from '#ports/agent-implementation.ts';
import type { SubmissionOutcome } from '#roles/submission.ts';
import { startLocalReeve } from '#runtime/local/local-reeve.ts';
import { testLog } from '../support/log.ts';
import { type VirtualClock, virtualClock } from '../support/virtual-clock.ts';

const press = defineAgent({ name: 'press', input: z.null(), output: z.null(), undo: 'offered' });
const printing = defineWorkflow({ name: 'printing', version: 1, details: z.null() })
  .step('print', { agent: press, completeWithin: 5_000, input: () => null })
  .build();
const other = defineAgent({ name: 'other', input: z.null(), output: z.null(), undo: 'offered' });
const mailing = defineWorkflow({ name: 'mailing', version: 1, details: z.null() })
  .step('mail', { agent: other, completeWithin: 5_000, input: () => null })
  .build();

/** 20 orders per second. */
const concurrency = 2;
const callMs = 100;

async function printer(path = ':memory:', clock: VirtualClock = virtualClock()) {
  const latest = new Map<string, ProcessRecord>();
  const service = { isDown: false };
  const reeve = await startLocalReeve({
    workflows: [printing, mailing],
    agents: [press, other].map((contract) => ({
      contract,
      concurrency,
      async perform() {
        if (service.isDown) throw new TransientFault('http-503', 'The service is down.');
        await new Promise<void>((resolve) => {
          clock.after(callMs, resolve);
        });
        return null;
      },
      async undo() {},
    })),
    path,
    clock,
    log: testLog(),
    random: { next: () => 0.5 },
    backlogMaxMs: 10_000,
  });
  onTestFinished(reeve.close);
  reeve.watch((record) => latest.set(record.orderId, record));
  const submit = (
    priority: Priority,
    tenant: string | null = null,
    key: string | null = null,
    workflow = 'printing',
  ) =>
    reeve.submission.submit(
      { workflow, details: null, priority, tenant, replyTo: null, correlationId: null, key },
      'ada',
    );
  const offer = (count: number, priority: Priority, tenant: string | null = null) =>
    Promise.all(Array.from({ length: count }, () => submit(priority, tenant)));
  const live = () =>
    [...latest.values()].filter(({ processState }) =>
      ['Pending', 'Processing'].includes(processState),
    ).length;
  return { reeve, clock, service, latest, submit, offer, live };
}

const kinds = (outcomes: readonly SubmissionOutcome[]) => {
  const count = new Map<string, number>();
  for (const outcome of outcomes) {
    const key = outcome.kind === 'accepted' ? outcome.kind : outcome.code;
    count.set(key, (count.get(key) ?? 0) + 1);
  }
  return Object.fromEntries(count);
};

/** Enough that the rate is known. */
async function warm(world: Awaited<ReturnType<typeof printer>>): Promise<void> {
  await world.offer(150, 'normal');
  await world.clock.advance(5_000);
}

test('before a rate is known, a burst is accepted whole', async () => {
  const { offer, live } = await printer();
  expect(kinds(await offer(1_000, 'normal'))).toEqual({ accepted: 1_000 });
  expect(live()).toBe(1_000);
});

test('orders are accepted up to the bound, and those are all processed', async () => {
  const world = await printer();
  await warm(world);
  const outcomes = await world.offer(500, 'normal');
  const { accepted = 0, overloaded } = kinds(outcomes);
  expect(accepted + (overloaded ?? 0)).toBe(500);
  // 200 orders are ten seconds of work.
  expect(world.live()).toBeGreaterThan(190);
  expect(world.live()).toBeLessThan(215);
  expect(world.reeve.refused()).toMatchObject({ overloaded, 'tenant-over-share': 0 });
  await world.clock.advance(15_000);
  expect(world.live()).toBe(0);
  expect([...world.latest.values()].every(({ processState }) => processState === 'Processed')).toBe(
    true,
  );
  expect(world.latest.size).toBe(150 + accepted);
});

test('a refused order is accepted after the time that it was told', async () => {
  const world = await printer();
  await warm(world);
  await world.offer(500, 'normal');
  const refused = await world.submit('normal', null, 'k1');
  if (refused.kind !== 'overloaded') throw new Error(refused.kind);
  // Half of ten seconds.
  expect(refused.retryAfterMs).toBeGreaterThan(4_500);
  expect(refused.retryAfterMs).toBeLessThan(6_000);
  expect(
    await world.reeve.store.list({ processState: null, limit: 1_000, cursor: null }),
  ).toMatchObject({
    items: { length: world.latest.size },
  });
  await world.clock.advance(Math.ceil(refused.retryAfterMs));
  const accepted = await world.submit('normal', null, 'k1');
  expect(accepted.kind).toBe('accepted');
  // The room is for more than one.
  expect(kinds(await world.offer(50, 'normal'))).toEqual({ accepted: 50 });
  await world.offer(500, 'normal');
  expect((await world.submit('normal')).kind).toBe('overloaded');
  expect(await world.submit('normal', null, 'k1')).toEqual({ ...accepted, isRepeated: true });
});

test('low is refused first, and high only against its own share', async () => {
  const world = await printer();
  await warm(world);
  await world.offer(500, 'normal');
  const low = kinds(await world.offer(100, 'low'));
  const high = kinds(await world.offer(100, 'high'));
  // A fifth, a twenty-first, and four fifths of the rate.
  expect(low['accepted']).toBeGreaterThan(30);
  expect(low['accepted']).toBeLessThan(45);
  expect(high).toEqual({ accepted: 100 });
  expect(kinds(await world.offer(500, 'high'))).toHaveProperty('overloaded');
});

test('a tenant with more than its share is refused, and another one is not', async () => {
  const world = await printer();
  await Promise.all([world.offer(150, 'normal', 'flood'), world.offer(20, 'normal', 'inn')]);
  await world.clock.advance(5_000);
  expect(kinds(await world.offer(500, 'normal', 'flood'))).toHaveProperty('tenant-over-share');
  expect(kinds(await world.offer(20, 'normal', 'inn'))).toEqual({ accepted: 20 });
});

test('a workflow whose service is slow refuses no order of another workflow', async () => {
  const world = await printer();
  await warm(world);
  await world.offer(500, 'normal');
  expect((await world.submit('normal')).kind).toBe('overloaded');
  expect((await world.submit('normal', null, null, 'mailing')).kind).toBe('accepted');
});

test('an outage refuses no order: the rate is that from before it', async () => {
  const world = await printer();
  await warm(world);
  await world.clock.advance(5_000);
  world.service.isDown = true;
  await world.offer(10, 'normal');
  await world.clock.advance(120_000);
  expect(kinds(await world.offer(150, 'normal'))).toEqual({ accepted: 150 });
  world.service.isDown = false;
  await world.clock.advance(120_000);
  expect(world.live()).toBe(0);
});

test('after a restart, orders are accepted until the rate is known again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-admission-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'reeve.db');
  const former = await printer(path);
  await warm(former);
  await former.offer(500, 'normal');
  expect((await former.submit('normal')).kind).toBe('overloaded');
  const left = former.live();
  former.reeve.close();
  const world = await printer(path, former.clock);
  expect((await world.submit('normal')).kind).toBe('accepted');
  await world.clock.advance(5_000);
  // What the former process left counts.
  const accepted = kinds(await world.offer(500, 'normal'))['accepted'] ?? 0;
  expect(left - 5_000 / callMs + accepted).toBeGreaterThan(100);
  expect(accepted).toBeLessThan(160);
  expect((await world.submit('normal')).kind).toBe('overloaded');
});
