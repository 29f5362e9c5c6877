/** Files that are removed or replaced while a Reeve uses them. */
import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { examineBackup } from '#embedded/integrity/examine.ts';
import { storeProbe } from '#embedded/store-probe.ts';
import { accepted, opened, somewhere } from '../support/stored-data.ts';
import { settled, virtualClock } from '../support/virtual-clock.ts';

/** A store with an order whose files are looked at. */
async function looked() {
  const path = somewhere();
  const { store, log } = opened(path);
  await accepted(store, 'one');
  store.lookAtFiles();
  expect(log.lines).toEqual([]);
  const reported = (file: string, what: string) => ({
    event: 'store-damaged',
    fields: {
      ...{ file: path, table: 'database', row: file },
      reason: `${file} was ${what} while Reeve uses it: the next start does not find what is stored. Make a backup before Reeve ends, and restore it.`,
    },
  });
  return { path, store, log, reported };
}

test.each([
  ['the database', ''],
  ['the log', '-wal'],
])('%s that was removed is reported once', async (_, suffix) => {
  const { path, store, log, reported } = await looked();
  rmSync(path + suffix);
  store.lookAtFiles();
  store.lookAtFiles();
  expect(log.lines).toEqual([reported(path + suffix, 'removed')]);
  expect(store.damaged()).toBe(1);
  const backup = somewhere();
  await store.backup(backup);
  expect(examineBackup(backup)).toMatchObject({ orders: 1, findings: [] });
});

test('a database over which another file was moved is reported', async () => {
  const { path, store, log, reported } = await looked();
  copyFileSync(path, `${path}-copy`);
  renameSync(`${path}-copy`, path);
  store.lookAtFiles();
  expect(log.lines).toEqual([reported(path, 'replaced')]);
});

test('the files are looked at every two seconds, also while the disk accepts writes', async () => {
  const clock = virtualClock();
  let looks = 0;
  const stop = storeProbe({
    clock,
    store: {
      refusal: () => null,
      tryWrite: () => Promise.reject(new RangeError('not tried')),
      lookAtFiles() {
        looks += 1;
      },
    },
  });
  await clock.advance(6_000);
  await settled();
  expect(looks).toBe(3);
  stop();
});
