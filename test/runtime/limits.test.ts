/** Limits of agents in one process and virtual time: no call over a limit, no order that fails because of one, and no slot that is lost. */
import { expect, test } from 'vitest';
import type { LimitOptions } from '#core/definition/agent-limit.ts';
import { type Input, type Limits, mostAtOnce, mostWithin, shop } from '../support/limited-shop.ts';

const inWhole = (rate: LimitOptions<Input>['rate']): Limits => ({
  whole: rate === undefined ? {} : { rate },
});

test.each([
  ['5 per second', { count: 5, per: 1_000 }, 50],
  ['100 per second', { count: 100, per: 1_000 }, 1_000],
  ['2 per minute', { count: 2, per: 60_000 }, 6],
])('a rate of %s is kept in every interval, and used whole', async (_, rate, orders) => {
  const { clock, calls, submit, ended, failures } = await shop(inWhole(rate));
  for (let order = 0; order < orders; order += 1) await submit('ada');
  const wholeMs = (orders / rate.count) * rate.per;
  await clock.advance(wholeMs * 1.03 + 500);
  expect([calls.length, ended(), failures()]).toEqual([orders, orders, 0]);
  expect(mostWithin(calls, rate.per)).toBeLessThanOrEqual(rate.count * 1.02 + 1);
});

test('a burst begins together, and the rate holds after it', async () => {
  const { clock, calls, submit } = await shop(inWhole({ count: 10, per: 1_000, burst: 4 }));
  await clock.advance(10_000);
  for (let order = 0; order < 30; order += 1) await submit('ada');
  await clock.advance(5);
  expect(calls.length).toBe(4);
  await clock.advance(2_650);
  expect(calls.length).toBe(30);
  expect(mostWithin(calls, 1_000)).toBeLessThanOrEqual(4 + 10);
});

test('a limit with a key delays the calls of that key alone', async () => {
  const { clock, of, submit, failures } = await shop({
    'per-tenant': { key: ({ tenant }) => tenant, rate: { count: 1, per: 1_000 } },
  });
  await clock.advance(2_000);
  for (let order = 0; order < 20; order += 1) {
    await submit('busy', 'acme');
    await submit('free', null);
  }
  await submit('small', 'beta');
  await clock.advance(100);
  expect([of('free').length, of('small').length, of('busy').length]).toEqual([20, 1, 1]);
  await clock.advance(19_000);
  expect([of('busy').length, failures()]).toEqual([20, 0]);
  expect(mostWithin(of('busy'), 1_000)).toBeLessThanOrEqual(2);
});

test('of each key, only so many calls are made at once; the next begins when one ends', async () => {
  const { clock, calls, of, submit, ended, failures } = await shop(
    { 'per-customer': { key: (call) => call.input.customer, atOnce: 2 } },
    { callMs: 1_000 },
  );
  for (let order = 0; order < 6; order += 1) for (const who of ['ada', 'bob']) await submit(who);
  await clock.advance(3_100);
  expect([calls.length, ended(), failures()]).toEqual([12, 12, 0]);
  expect(mostAtOnce(of('ada'))).toBe(2);
  expect(mostAtOnce(of('bob'))).toBe(2);
});

test('a call needs room in every limit, and one that waits for a narrow limit takes no room in a wide one', async () => {
  const { clock, calls, of, submit, ended } = await shop({
    'per-customer': { key: (call) => call.input.customer, rate: { count: 1, per: 10_000 } },
    'per-tenant': { key: ({ tenant }) => tenant, atOnce: 2 },
    whole: { rate: { count: 20, per: 1_000 } },
  });
  await clock.advance(20_000);
  for (let order = 0; order < 5; order += 1) await submit('ada', 'acme');
  for (let order = 0; order < 15; order += 1) await submit(`of-acme-${order}`, 'acme');
  for (let order = 0; order < 15; order += 1) await submit(`of-beta-${order}`, 'beta');
  await clock.advance(1_500);
  // The 15 customers of each tenant do not wait for the four orders of one customer.
  expect([calls.length, of('ada').length]).toEqual([31, 1]);
  expect(mostWithin(calls, 1_000)).toBeLessThanOrEqual(21);
  expect(mostAtOnce(calls)).toBeLessThanOrEqual(4);
  await clock.advance(40_000);
  expect([of('ada').length, ended()]).toEqual([5, 35]);
});

test('the calls of the retries of an attempt count as well', async () => {
  const { clock, calls, submit, ended } = await shop(inWhole({ count: 4, per: 1_000 }), {
    callMs: 5,
    failing: 4,
  });
  for (let order = 0; order < 8; order += 1) await submit('ada');
  await clock.advance(15_000);
  expect([calls.length, ended()]).toEqual([12, 8]);
  expect(mostWithin(calls, 1_000)).toBeLessThanOrEqual(5);
});

test('a limited step waits as well for the concurrency of its agent, and its slots are not used up meanwhile', async () => {
  const { clock, calls, submit, ended, failures } = await shop(
    inWhole({ count: 100, per: 1_000 }),
    {
      callMs: 500,
      concurrency: 2,
    },
  );
  for (let order = 0; order < 20; order += 1) await submit('ada');
  await clock.advance(5_300);
  expect([calls.length, ended(), failures()]).toEqual([20, 20, 0]);
  expect(mostAtOnce(calls)).toBeLessThanOrEqual(2);
});

test('steps that passed their rate long ago begin at the rate when their agent has room again, and none fails', async () => {
  const { clock, of, submit, ended, failures } = await shop(
    { 'per-tenant': { key: ({ tenant }) => tenant, rate: { count: 10, per: 1_000 } } },
    { concurrency: 30, takesMs: (call) => (call <= 60 ? 1_900 : 100) },
  );
  await clock.advance(2_000);
  for (let order = 0; order < 60; order += 1) await submit('slow', null);
  for (let order = 0; order < 60; order += 1) await submit('ada', 'acme');
  await clock.advance(12_000);
  expect(mostWithin(of('ada'), 1_000)).toBeLessThanOrEqual(11);
  expect([ended(), failures()]).toEqual([120, 0]);
});

test('calls whose key cannot be computed are limited together, and the log says so', async () => {
  const { clock, calls, log, submit } = await shop({
    'per-customer': {
      key: () => {
        throw Object.assign(new RangeError('ada is unknown'), { code: 'customer-unknown' });
      },
      rate: { count: 1, per: 1_000 },
    },
  });
  for (const who of ['ada', 'bob', 'cleo']) await submit(who);
  await clock.advance(2_500);
  expect(calls.length).toBe(2);
  const [line] = log.lines.filter(({ event }) => event === 'limit-key-failed');
  expect(line?.fields).toEqual({
    ...{ agent: 'paint', limit: 'paint/per-customer' },
    ...{ error: 'RangeError', code: 'customer-unknown' },
  });
});

test('an order that is cancelled while it waits for a limit leaves its turn to the next', async () => {
  const { clock, submit, of, reeve } = await shop(inWhole({ count: 1, per: 10_000 }));
  await clock.advance(20_000);
  await submit('first');
  await clock.advance(1_000);
  const second = await submit('second');
  await submit('third');
  await clock.advance(1_000);
  await reeve.operator.cancel(second, 'ada');
  await clock.advance(10_000);
  expect([of('second').length, of('third').length]).toEqual([0, 1]);
});
