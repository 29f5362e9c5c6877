/** Operators drain and resume agents while orders run, and change weights: in one process and virtual time. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { drainableShop } from '../support/drainable-shop.ts';

type Shop = Awaited<ReturnType<typeof drainableShop>>;

const holdOf = ({ step }: Shop, id: Parameters<Shop['step']>[0], name: string) => {
  const { agent, progress, failures, attempt } = step(id, name);
  const gate = progress.state === 'Held' ? progress.gate : null;
  return { agent, gate, failures, attempt };
};

test('a drained member gets no new calls, and its calls in flight go on', async () => {
  const shop = await drainableShop();
  await shop.submit(40);
  expect(shop.places()).toContain('pay-east');
  await shop.change('pay-east', 'drain');
  shop.places();
  expect(await shop.agent('pay-east')).toMatchObject({
    state: 'draining',
    drained: { by: 'olga' },
  });
  await shop.clock.advance(5_000);
  expect(shop.states()).toEqual(Array(40).fill('Processed'));
  expect(await shop.agent('pay-east')).toMatchObject({ state: 'drained', inFlight: 0 });
  expect([...shop.places()].toSorted()).toEqual(['pay-rival', 'pay-west', 'print']);
  expect([...shop.latest.values()].every(({ failureCount }) => failureCount === 0)).toBe(true);
  await shop.change('pay-east', 'resume');
  await shop.submit(20);
  expect(shop.places()).toContain('pay-east');
  await shop.clock.advance(5_000);
  expect(shop.replays()).toBe(true);
});

test('a step in doubt goes to its domain, to a drained member after the others', async () => {
  const shop = await drainableShop();
  for (const name of ['pay-west', 'pay-rival']) await shop.change(name, 'drain');
  shop.silent.add('pay-east');
  const [id] = await shop.submit(1);
  if (id === undefined) throw new Error('there is an order');
  expect(shop.sent).toContain(`perform ${id} at pay-east`);
  await shop.change('pay-east', 'drain');
  await shop.change('pay-rival', 'resume');
  shop.silent.clear();
  await shop.clock.advance(20_000);
  const charged = shop.sent.filter((one) => one.startsWith('perform') && one.includes('pay'));
  expect(charged).toHaveLength(2);
  expect(charged.at(-1)).toMatch(/at pay-(east|west)$/);
  expect(shop.step(id, 'charge')).toMatchObject({ progress: { state: 'Completed' }, failures: 1 });
  expect(shop.replays()).toBe(true);
});

test('an undo goes to the drained member that performed the step', async () => {
  const shop = await drainableShop();
  for (const name of ['pay-west', 'pay-east']) await shop.change(name, 'drain');
  await shop.change('print', 'drain');
  const [id] = await shop.submit(1);
  if (id === undefined) throw new Error('there is an order');
  await shop.clock.advance(1_000);
  await shop.change('pay-rival', 'drain');
  await shop.reeve.operator.cancel(id, 'olga');
  await shop.clock.advance(1_000);
  expect(shop.sent.at(-1)).toBe(`undo ${id} at pay-rival`);
  expect(shop.states()).toEqual(['Undone']);
});

test('the steps of a drained agent without a pool wait with the reason, and others proceed', async () => {
  const shop = await drainableShop();
  await shop.change('print', 'drain');
  const ids = await shop.submit(30);
  await shop.clock.advance(3_600_000);
  for (const id of ids) {
    expect(shop.step(id, 'charge').progress.state).toBe('Completed');
    const expected = { agent: 'print', gate: 'drained', failures: 0, attempt: 0 };
    expect(holdOf(shop, id, 'receipt')).toEqual(expected);
  }
  expect(shop.reeve.isCircuitOpen()).toBe(false);
  // It is asked again when its hold says so, not again and again.
  for (const { history } of shop.latest.values()) expect(history.length).toBeLessThan(13);
  await shop.change('print', 'resume');
  await shop.clock.advance(2_000);
  expect(shop.states()).toEqual(Array(30).fill('Processed'));
  expect(shop.replays()).toBe(true);
});

test('while all members are drained, steps that none has begun wait, and nothing fails', async () => {
  const shop = await drainableShop();
  const members = ['pay-east', 'pay-west', 'pay-rival'];
  for (const name of members) await shop.change(name, 'drain');
  const ids = await shop.submit(10);
  await shop.clock.advance(600_000);
  for (const id of ids) {
    expect(holdOf(shop, id, 'charge')).toMatchObject({
      agent: 'pay',
      gate: 'drained',
      failures: 0,
    });
    expect(shop.step(id, 'receipt').progress.state).toBe('Completed');
  }
  expect(await shop.reeve.agents.list()).toMatchObject({
    pools: [{ name: 'pay', isHeldBack: true, waiting: 10 }],
  });
  await shop.change('pay-rival', 'resume');
  await shop.clock.advance(2_000);
  expect(shop.states()).toEqual(Array(10).fill('Processed'));
  expect([...shop.places()].toSorted()).toEqual(['pay-rival', 'print']);
});

test('orders that wait for room at a member that is drained go to the others', async () => {
  const shop = await drainableShop({ concurrency: 1 });
  for (const name of ['pay-west', 'pay-rival']) await shop.change(name, 'drain');
  await shop.submit(60);
  await shop.clock.advance(300);
  shop.places();
  await shop.change('pay-east', 'drain');
  await shop.change('pay-rival', 'resume');
  await shop.clock.advance(30_000);
  expect(shop.states()).toEqual(Array(60).fill('Processed'));
  expect([...shop.places()].toSorted()).toEqual(['pay-rival', 'print']);
});

test('weights change while orders run', async () => {
  const shop = await drainableShop();
  for (const name of ['pay-east', 'pay-west', 'pay-rival']) {
    await shop.change(name, { kind: 'weight', weight: 0 });
  }
  await shop.submit(5);
  await shop.clock.advance(1_000);
  expect([...shop.places()]).toEqual(['print']);
  const changed = await shop.change('pay-spare', { kind: 'weight', weight: 7 });
  expect(changed).toMatchObject({
    agent: { member: { pool: 'pay', domain: 'spare', weight: 7, changed: { by: 'olga' } } },
  });
  await shop.clock.advance(1_000);
  expect([...shop.places()]).toEqual(['pay-spare']);
  expect(shop.states()).toEqual(Array(5).fill('Processed'));
  const again = await shop.change('pay-spare', { kind: 'weight', weight: null });
  expect(again).toMatchObject({ agent: { member: { weight: 0, changed: null } } });
  expect(shop.replays()).toBe(true);
});

test('what was changed is remembered over a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-drained-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'reeve.db');
  const former = await drainableShop({ path });
  await former.change('print', 'drain');
  await former.change('pay-east', { kind: 'weight', weight: 9 });
  await former.submit(3);
  await former.clock.advance(1_000);
  former.reeve.close();
  const shop = await drainableShop({ path, clock: former.clock });
  await shop.submit(2);
  await shop.clock.advance(60_000);
  expect(shop.places()).not.toContain('print');
  expect(await shop.agent('print')).toMatchObject({ state: 'drained', drained: { by: 'olga' } });
  expect(await shop.agent('pay-east')).toMatchObject({ member: { weight: 9 } });
  await shop.change('print', 'resume');
  await shop.clock.advance(60_000);
  expect(shop.states()).toEqual(Array(5).fill('Processed'));
});

test('a change is refused for an agent that no workflow has, and a weight without a pool', async () => {
  const shop = await drainableShop();
  expect(await shop.change('nobody', 'drain')).toMatchObject({ kind: 'unknown-agent' });
  expect(await shop.change('print', { kind: 'weight', weight: 2 })).toEqual({ kind: 'no-member' });
  expect(await shop.agent('print')).toMatchObject({ state: 'healthy', member: null });
});

test('with any changes by operators at any time, no failure is counted and every order is processed at the end', async () => {
  const agents = ['pay-east', 'pay-west', 'pay-rival', 'pay-spare', 'print'];
  const change = fc.record({
    agent: fc.constantFrom(...agents),
    kind: fc.constantFrom('drain', 'resume', 'weight'),
    weight: fc.integer({ min: 0, max: 3 }),
    orders: fc.integer({ min: 0, max: 6 }),
    afterMs: fc.integer({ min: 0, max: 400 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 20 }), async (changes) => {
      const shop = await drainableShop({ concurrency: 2 });
      const out = new Set<string>();
      for (const { agent, kind, weight, orders, afterMs } of changes) {
        if (kind === 'weight') {
          if (agent !== 'print') await shop.change(agent, { kind, weight });
        } else {
          await shop.change(agent, kind === 'drain' ? 'drain' : 'resume');
          if (kind === 'drain') out.add(agent);
          else out.delete(agent);
        }
        shop.places();
        await shop.submit(orders);
        await shop.clock.advance(afterMs);
        for (const place of shop.places()) expect(out.has(place ?? '')).toBe(false);
      }
      for (const agent of agents) await shop.change(agent, 'resume');
      await shop.change('pay-rival', { kind: 'weight', weight: 1 });
      await shop.clock.advance(120_000);
      for (const record of shop.latest.values()) {
        expect(record).toMatchObject({ processState: 'Processed', failureCount: 0 });
      }
      expect(shop.replays()).toBe(true);
      shop.reeve.close();
    }),
    { numRuns: 30 },
  );
});
