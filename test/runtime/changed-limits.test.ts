/** Limits that operators change while orders wait for them: in force at once, and remembered. */
import { expect, test } from 'vitest';
import { mostAtOnce, mostWithin, shop } from '../support/limited-shop.ts';

const rate = (count: number) => ({ rate: { count, per: 1_000 } });

test('a rate that is lowered and raised under load is kept at once, and no order fails', async () => {
  const { clock, calls, submit, reeve, ended, failures } = await shop({ whole: rate(10) });
  for (let order = 0; order < 200; order += 1) await submit('ada');
  await clock.advance(2_000);
  const before = calls.length;
  expect((await reeve.limits.change('paint/whole', rate(2), 'grace')).kind).toBe('done');
  await clock.advance(10_000);
  const slow = calls.slice(before);
  expect(slow.length).toBeGreaterThanOrEqual(19);
  expect(mostWithin(slow, 1_000)).toBeLessThanOrEqual(3);
  await reeve.limits.change('paint/whole', rate(100), 'grace');
  await clock.advance(1_900);
  expect([ended(), failures()]).toEqual([200, 0]);
  expect(mostWithin(calls.slice(before + slow.length), 1_000)).toBeLessThanOrEqual(103);
});

test.each([
  ['of all calls', { whole: { atOnce: 8 } }, 'paint/whole'],
  ['by key', { each: { key: () => 'one', atOnce: 8 } }, 'paint/each'],
])('a number of calls at once, %s, is lowered and raised under load', async (_, limits, name) => {
  const { clock, calls, submit, reeve, ended, failures } = await shop(limits, { callMs: 500 });
  for (let order = 0; order < 100; order += 1) await submit('ada');
  await clock.advance(1_100);
  const before = calls.length;
  await reeve.limits.change(name, { atOnce: 2 }, 'grace');
  await clock.advance(5_000);
  const few = calls.slice(before);
  expect(few.length).toBeGreaterThan(16);
  expect(mostAtOnce(few)).toBeLessThanOrEqual(2);
  await reeve.limits.change(name, { atOnce: 50 }, 'grace');
  await clock.advance(10);
  expect(mostAtOnce(calls.slice(before))).toBe(50);
  await clock.advance(1_000);
  expect([ended(), failures()]).toEqual([100, 0]);
});

test('a rate that was changed and reset is the one of its definition again', async () => {
  const { clock, calls, submit, reeve } = await shop({ whole: rate(10) });
  for (let order = 0; order < 100; order += 1) await submit('ada');
  await reeve.limits.change('paint/whole', rate(1), 'grace');
  await clock.advance(5_000);
  await reeve.limits.change('paint/whole', null, 'grace');
  const before = calls.length;
  await clock.advance(5_000);
  expect(calls.length - before).toBeGreaterThanOrEqual(48);
});

test('the list says how much a limit allows, how much it was defined to allow, and who changed it', async () => {
  const { reeve, clock } = await shop({ whole: { ...rate(10), atOnce: 4 } });
  const defined = { rate: { count: 10, per: 1_000, burst: 1 }, atOnce: 4 };
  const asDefined = { name: 'paint/whole', isByKey: false, ...defined, defined, changed: null };
  expect(await reeve.limits.list()).toEqual([asDefined]);
  await reeve.limits.change('paint/whole', { atOnce: 9 }, 'grace');
  expect(await reeve.limits.list()).toEqual([
    { ...asDefined, atOnce: 9, changed: { by: 'grace', at: clock.now() } },
  ]);
  await reeve.limits.change('paint/whole', null, 'grace');
  expect(await reeve.limits.list()).toEqual([asDefined]);
});

test.each([
  ['a limit that does not exist', 'paint/none', rate(1), { kind: 'unknown-limit' }],
  ['an amount out of range', 'paint/whole', rate(0), { kind: 'invalid' }],
  ['an amount that the limit does not have', 'paint/whole', { atOnce: 1 }, { kind: 'invalid' }],
  ['nothing', 'paint/whole', {}, { kind: 'invalid' }],
  ['a rate for a limit without one', 'paint/few', rate(1), { kind: 'invalid' }],
  ['more than ten times as many calls at once', 'paint/few', { atOnce: 31 }, { kind: 'invalid' }],
  ['a number of calls at once of 0', 'paint/few', { atOnce: 0 }, { kind: 'invalid' }],
])('%s is refused', async (_, name, request, outcome) => {
  const { reeve } = await shop({ whole: rate(10), few: { atOnce: 3 } });
  expect(await reeve.limits.change(name, request, 'grace')).toMatchObject(outcome);
});
