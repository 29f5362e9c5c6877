/** Orders of the former process whose interruption the store refused, or that could not be read then (R20). */
import { expect, test } from 'vitest';
import { CorruptDataError, RefusedError, UnavailableError } from '#core/model/errors.ts';
import { orderId, schedulerId } from '#core/model/ids.ts';
import type { StateStore } from '#ports/state-store.ts';
import { operator } from '#roles/operator.ts';
import { afterRestart, operatorAfterRestart } from '#roles/recovery/roles-after-restart.ts';
import { type Restart, restart } from '#roles/restart.ts';
import { scheduler } from '#roles/scheduler.ts';
import { supervisor } from '#roles/supervisor.ts';
import { type RoleScenario, roleScenario } from './scenario.ts';

const second = 1_000;
const one = orderId('one');
const refused = new RefusedError('store-refused', 'No.');
const corrupt = new CorruptDataError('row-damaged', 'It was changed on the disk.');

/** The errors that writes of one order meet, one after the other. */
function failing(...errors: unknown[]) {
  const faulty = (store: StateStore): StateStore => ({
    ...store,
    async commit(record, replaced) {
      const error = record.orderId === one ? errors.shift() : undefined;
      if (error !== undefined) throw error;
      return store.commit(record, replaced);
    },
  });
  return { faulty, next: (...more: readonly unknown[]) => void errors.push(...more) };
}

/** The order was claimed by the former process, and its interruption failed: also in its short form, if it was refused. */
async function restarted(...errors: unknown[]) {
  const { faulty, next } = failing();
  const world = roleScenario(faulty);
  await world.createClaimed('one');
  next(...errors);
  const { store, transitions, clock, log } = world;
  const again = restart({ store, transitions, clock, log });
  await again.begin();
  await again.done;
  return { world, again, next, sweep: sweepOf(world, again) };
}

function sweepOf(
  { transitions, clock, log }: RoleScenario,
  { sweptStore, uninterrupted }: Restart,
) {
  const ports = { transitions, clock, log, outageAfterMs: 30 * second };
  const role = supervisor({ ...ports, store: sweptStore, uninterrupted });
  return () => role.sweep(new Map());
}

const typesOf = async (world: RoleScenario) =>
  (await world.record(one)).history.map(({ type }) => type);

test.each([
  ['the store refuses', [refused, refused]],
  ['meets a damaged row', [corrupt]],
  ['fails for another reason', ['a text']],
])(
  'an interruption that %s is made up for by the sweep that finds the order',
  async (_, errors) => {
    const { world, sweep } = await restarted(...errors);
    expect(await typesOf(world)).toEqual(['submit', 'claim']);
    world.clock.jump(12 * second);
    expect(await sweep()).toMatchObject({ found: 1, interrupted: 1, outage: false });
    const record = await world.record(one);
    expect(record).toMatchObject({ processState: 'Pending', failureCount: 0 });
    expect(record.history.at(-1)).toMatchObject({ type: 'interrupted', reason: 'restart' });
  },
);

test.each([
  ['is refused again', [refused, refused]],
  ['meets a store that is away', [new UnavailableError('store-unavailable', 'Later.'), corrupt]],
])('an interruption that %s is left to the next sweep', async (_, errors) => {
  const { world, next, sweep } = await restarted(refused, refused);
  world.clock.jump(12 * second);
  next(...errors);
  await sweep();
  expect(await typesOf(world)).toEqual(['submit', 'claim']);
  await sweep();
  expect(await typesOf(world)).toEqual(['submit', 'claim', 'interrupted']);
});

test('once an order was interrupted, its late attempts count', async () => {
  const { world, sweep } = await restarted(refused, refused);
  world.clock.jump(12 * second);
  await sweep();
  const by = schedulerId('next');
  await world.transitions.apply([{ orderId: one, event: () => ({ type: 'claim', by }) }]);
  world.clock.jump(12 * second);
  await sweep();
  expect(await typesOf(world)).toEqual(['submit', 'claim', 'interrupted', 'claim', 'expired']);
  expect((await world.record(one)).failureCount).toBe(2);
});

test('a nudge and an operator interrupt such an order before they change it', async () => {
  const { world, again } = await restarted(refused, refused);
  expect(again.isDone()).toBe(true);
  const of = scheduler({ id: schedulerId('next'), ...world });
  await afterRestart(again, of).onNudges([{ orderId: one, priority: 'normal' }]);
  expect(await typesOf(world)).toEqual(['submit', 'claim', 'interrupted', 'claim']);
  await operatorAfterRestart(again, operator(world.transitions)).cancel(one, 'ada');
  expect((await typesOf(world)).slice(4)).toEqual(['cancel']);
});

test('an operator can change such an order although the store refuses its interruption again', async () => {
  const { world, again, next, sweep } = await restarted(refused, refused);
  next(refused, refused);
  const person = operatorAfterRestart(again, operator(world.transitions));
  expect(await person.reprioritise(one, 'ada', 'high')).toMatchObject({ kind: 'done' });
  world.clock.jump(12 * second);
  await sweep();
  expect(await world.record(one)).toMatchObject({ priority: 'high', failureCount: 0 });
});
