import { expect, onTestFinished, test } from 'vitest';
import { backgroundCheck } from '#embedded/integrity/background-check.ts';
import { accepted, edited, opened, stored } from '../support/stored-data.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const ids = (count: number) => Array.from({ length: count }, (_, at) => `order-${at}`);

function checking(path: string) {
  const clock = virtualClock();
  const { store, log } = opened(path);
  const begin = () => {
    const stop = backgroundCheck({ store, clock, log });
    onTestFinished(stop);
    return stop;
  };
  return { clock, store, log, begin };
}

test('the stored orders are verified in slices, and the end is logged', async () => {
  const { clock, log, begin } = checking(await stored(...ids(120)));
  begin();
  // A second, and twice the pause between three slices.
  await clock.advance(1_039);
  expect(log.lines).toEqual([]);
  await clock.advance(1);
  const end = { event: 'stored-orders-checked', fields: { orders: 120, damaged: 0 } };
  expect(log.lines).toEqual([end]);
  await clock.advance(60_000);
  expect(log.lines).toEqual([end]);
});

test('damage is logged when it is found, and counted at the end', async () => {
  const path = await stored(...ids(120));
  edited(path, "UPDATE Processes SET Tenant = 'x' WHERE Seq IN (50, 51)");
  const { clock, log, begin } = checking(path);
  begin();
  await clock.advance(1_000);
  expect(log.lines.map(({ fields }) => fields['row'])).toEqual([50]);
  await clock.advance(40);
  expect(log.lines.slice(1)).toMatchObject([
    { event: 'store-damaged', fields: { table: 'Processes', row: 51 } },
    { event: 'stored-orders-checked', fields: { orders: 120, damaged: 2 } },
  ]);
});

test.each([
  ['before it began', 0],
  ['between two slices', 1_010],
])('it stops when it is closed %s', async (_, at) => {
  const { clock, store, log, begin } = checking(await stored(...ids(60)));
  const stop = begin();
  await clock.advance(at);
  stop();
  store.close();
  await clock.advance(60_000);
  expect(log.lines).toEqual([]);
});

test('it does not check orders that were accepted after it began', async () => {
  const { clock, store, log, begin } = checking(await stored('one'));
  begin();
  await accepted(store, 'two');
  await clock.advance(1_000);
  expect(log.lines).toMatchObject([{ fields: { orders: 1, damaged: 0 } }]);
});
