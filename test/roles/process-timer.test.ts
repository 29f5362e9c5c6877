/** R20 in one process: the timer that recovers an order at its instant counts no outage and no restart as a failure. */
import { expect, onTestFinished, test } from 'vitest';
import { UnavailableError } from '#core/model/errors.ts';
import { orderId, schedulerId } from '#core/model/ids.ts';
import type { ProcessRecord } from '#core/model/record.ts';
import type { StateStore } from '#ports/state-store.ts';
import { assembleProcess } from '#roles/assemble.ts';
import { sha256, systemIds, systemRandom } from '#runtime/node/system-ids.ts';
import { type RoleScenario, roleScenario } from './scenario.ts';

const second = 1_000;
/** The walls of the house are to be complete within 10 s. */
const completeWithin = 10 * second;
const sweepPeriodMs = 25 * second;

async function startedProcess(world: RoleScenario, store: StateStore = world.store) {
  const { clock, log, registry } = world;
  const listeners = new Set<(record: ProcessRecord) => void>();
  const nothing = { async send() {} };
  const roles = assembleProcess({
    ...{ store, clock, log, registry, sweepPeriodMs },
    id: schedulerId('process'),
    random: systemRandom,
    ids: systemIds(clock, 'process'),
    digest: sha256,
    responseChannels: [],
    channels: { nudges: nothing, requests: nothing },
    outageAfterMs: 30 * second,
    sliceMax: 1,
    watchRecords(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  });
  const { sweeps } = await roles.start();
  onTestFinished(() => {
    roles.restart.stop();
    sweeps.stop();
  });
  return {
    async claims(id: string) {
      const record = await world.createClaimed(id);
      for (const listener of listeners) listener(record);
    },
  };
}

async function lastOf(world: RoleScenario, id: string) {
  const { history, failureCount } = await world.record(orderId(id));
  const last = history.at(-1);
  return { type: last?.type, reason: last && 'reason' in last ? last.reason : null, failureCount };
}

test('an attempt that is late at its instant counts as a failure', async () => {
  const world = roleScenario();
  const { claims } = await startedProcess(world);
  await claims('one');
  await world.clock.advance(completeWithin + 1);
  expect(await lastOf(world, 'one')).toEqual({ type: 'expired', reason: null, failureCount: 2 });
});

test('after an outage the timer leaves what it delayed to the sweep', async () => {
  const world = roleScenario();
  const { claims } = await startedProcess(world);
  await world.clock.advance(sweepPeriodMs);
  await claims('one');
  // The process is frozen: the timer and the sweep after it come late, the timer first.
  world.clock.jump(60 * second);
  await world.clock.advance(1);
  const interrupted = { type: 'interrupted', reason: 'outage', failureCount: 0 };
  expect(await lastOf(world, 'one')).toEqual(interrupted);
});

test('a call of the former process, whose clock was ahead, is withdrawn at its instant without a failure', async () => {
  const world = roleScenario();
  await world.createClaimed('one');
  await world.createClaimed('two');
  world.clock.jump(-2 * second);
  let isRefused = true;
  const store: StateStore = {
    ...world.store,
    async commit(record, replaced) {
      if (record.orderId === 'two' && isRefused)
        throw new UnavailableError('store-unavailable', 'Not now.');
      return world.store.commit(record, replaced);
    },
  };
  await startedProcess(world, store);
  // The recovery tries again every 250 ms: it has just failed, and the timer comes before its next try.
  await world.clock.advance(2 * second + completeWithin);
  isRefused = false;
  await world.clock.advance(1);
  expect(await lastOf(world, 'two')).toEqual({
    ...{ type: 'interrupted', reason: 'restart', failureCount: 0 },
  });
});
