/** A disk that refuses writes is logged once, and its recovery is detected without an order. */
import { expect, test } from 'vitest';
import { UnavailableError } from '#core/model/errors.ts';
import { storeProbe } from '#embedded/store-probe.ts';
import { writeState } from '#embedded/write-state.ts';
import { testLog } from '../support/log.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const full = new UnavailableError('store-full', 'The disk has no space.');

test('a condition is one line of the log for any number of refused writes, and one when it is over', () => {
  const log = testLog();
  const state = writeState('reeve.db', log);
  state.written();
  expect([state.refusal(), log.lines]).toEqual([null, []]);
  for (const _write of [1, 2, 3]) state.refused(full);
  expect(state.refusal()).toBe('store-full');
  state.written();
  state.written();
  expect(state.refusal()).toBe(null);
  state.refused(full);
  const begun = {
    event: 'store-full',

    fields: { reason: 'The disk has no space.' },
  };
  const over = { event: 'store-writable', fields: { after: 'store-full' } };
  expect(log.lines).toMatchObject([begun, over, begun]);
});

test('a different reason is a different condition', () => {
  const log = testLog();
  const state = writeState('reeve.db', log);
  state.refused(full);
  state.refused(new UnavailableError('store-unavailable', 'The disk failed.'));
  expect(state.refusal()).toBe('store-unavailable');
  expect(log.lines.map(({ event }) => event)).toEqual(['store-full', 'store-unavailable']);
});

test('the errors of a closed store and of a defect do not concern the disk', () => {
  const log = testLog();
  const state = writeState('reeve.db', log);
  state.refused(new UnavailableError('store-closed', 'It is closed.'));
  state.refused(new TypeError('no function'));
  expect([state.refusal(), log.lines]).toEqual([null, []]);
});

test('a store that refuses writes is probed until a write succeeds', async () => {
  const clock = virtualClock();
  const state = writeState('reeve.db', testLog());
  let tries = 0;
  const stop = storeProbe({
    clock,
    store: {
      refusal: state.refusal,
      lookAtFiles() {},
      async tryWrite() {
        tries += 1;
        if (tries < 3) throw full;
        state.written();
      },
    },
  });
  await clock.advance(60_000);
  expect(tries).toBe(0);
  state.refused(full);
  await clock.advance(60_000);
  expect([tries, state.refusal()]).toEqual([3, null]);
  stop();
  expect(clock.pending()).toBe(0);
});

test('a probe that is stopped during a try makes no further one', async () => {
  const clock = virtualClock();
  const { promise: tried, resolve } = Promise.withResolvers<void>();
  const stop = storeProbe({
    clock,
    store: { refusal: () => 'store-full', tryWrite: () => tried, lookAtFiles() {} },
  });
  await clock.advance(2_000);
  stop();
  resolve();
  await clock.advance(0);
  expect(clock.pending()).toBe(0);
});
