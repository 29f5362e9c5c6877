/** What one instance of the Scheduler knows of the changes that operators made to agents, and when it reads them. */
import { expect, test } from 'vitest';
import type { AgentSettings } from '#core/definition/agent-settings.ts';
import { UnavailableError } from '#core/model/errors.ts';
import { knownSettings } from '#distributed/known-settings.ts';
import { testLog } from '../support/log.ts';
import { virtualClock } from '../support/virtual-clock.ts';

const drained: AgentSettings = new Map([['paint', { drained: { by: 'olga', at: 1 } }]]);

function instance(isOftenChanged: boolean) {
  const clock = virtualClock();
  const log = testLog();
  const stored = { settings: new Map() as AgentSettings, isFailing: false, reads: 0 };
  const store = {
    async read() {
      stored.reads += 1;
      if (stored.isFailing) throw new UnavailableError('aws-unavailable', 'No answer.');
      return new Map(stored.settings);
    },
  };
  const known = knownSettings({ store, isOftenChanged, clock, log });
  /** Batches, one each tenth of a second. */
  const work = async (ms: number) => {
    for (let at = 0; at < ms; at += 100) {
      await known.refresh();
      clock.jump(100);
    }
  };
  return { clock, log, stored, known, work };
}

test('with a pool, a change is in force within a second, and is read at most once per second', async () => {
  const { stored, known, work } = instance(true);
  await work(5_000);
  expect(stored.reads).toBe(5);
  stored.settings = drained;
  await work(1_100);
  expect(known.current().get('paint')).toEqual({ drained: { by: 'olga', at: 1 } });
});

test('without a pool, nothing is read for ten seconds, until something was changed', async () => {
  const { stored, known, work } = instance(false);
  await work(20_000);
  expect(stored.reads).toBe(2);
  stored.settings = drained;
  await work(100);
  expect(known.current().size).toBe(1);
  await work(10_000);
  expect(stored.reads).toBe(12 + 1);
  stored.settings = new Map();
  await work(1_100);
  expect(known.current().size).toBe(0);
});

test('callers at once share a read, and unchanged settings are the same object', async () => {
  const { stored, known, clock } = instance(true);
  stored.settings = drained;
  await Promise.all([known.refresh(), known.refresh(), known.refresh()]);
  expect(stored.reads).toBe(1);
  expect(known.refresh()).toBeUndefined();
  const before = known.current();
  clock.jump(1_000);
  await known.refresh();
  expect(stored.reads).toBe(2);
  expect(known.current()).toBe(before);
});

test('what cannot be read is as it was, and is read again after a second', async () => {
  const { stored, known, work, log } = instance(false);
  stored.settings = drained;
  await work(100);
  stored.isFailing = true;
  await work(2_000);
  expect(known.current().size).toBe(1);
  expect(log.lines[0]).toEqual({
    event: 'agent-settings-unread',
    fields: { error: 'UnavailableError' },
  });
  const fresh = instance(false);
  fresh.stored.isFailing = true;
  await fresh.work(3_000);
  expect(fresh.stored.reads).toBe(3);
});

test('a clock that was set back delays no read', async () => {
  const { stored, known, clock } = instance(true);
  await known.refresh();
  clock.jump(-60_000);
  await known.refresh();
  expect(stored.reads).toBe(2);
});
