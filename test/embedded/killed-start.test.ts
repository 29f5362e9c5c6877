/** A start that is killed, the first one or the first after an upgrade: the next one has all orders, and reports no damage. */
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { orderId } from '#core/model/ids.ts';
import { examineData } from '#embedded/integrity/examine.ts';
import { killPoints } from '../support/kill-points.ts';
import { edited, opened, somewhere, stored } from '../support/stored-data.ts';

const older = [
  'DROP TABLE Totals',
  'DROP INDEX Correlation',
  ...['Orders', 'Processes', 'Changes'].map((table) => `ALTER TABLE ${table} DROP COLUMN Checksum`),
  'DROP TABLE Lines',
  'DROP TABLE AgentSettings',
  'ALTER TABLE Processes DROP COLUMN Extension',
  'ALTER TABLE Changes DROP COLUMN Audience',
];

/** Data of a release that had none of this, and no totals file. */
async function upgraded(): Promise<string> {
  const path = await stored('one', 'two');
  edited(path, older.join(';'));
  rmSync(`${path}-totals`);
  return path;
}

test.each<[string, () => Promise<string>, readonly string[]]>([
  ['the first one', async () => somewhere(), []],
  ['an upgrade', upgraded, ['one', 'two']],
  ['that of current data', () => stored('one', 'two'), ['one', 'two']],
])('%s', async (_, make, ids) => {
  const path = await make();
  const points = killPoints(dirname(path), () => opened(path).store.close());
  expect(points.length).toBeGreaterThan(1);
  for (const { before, folder } of points) {
    const killed = join(folder, basename(path));
    const checked = join(dirname(somewhere()), 'reeve.db');
    for (const suffix of ['', '-wal', '-journal', '-totals']) {
      if (existsSync(killed + suffix)) copyFileSync(killed + suffix, checked + suffix);
    }
    if (existsSync(checked)) expect([before, examineData(checked).findings]).toEqual([before, []]);
    const { store, log } = opened(killed);
    const found = [...(await store.records(['one', 'two'].map(orderId))).keys()];
    expect([before, found, log.lines]).toEqual([before, ids, []]);
    const all = store.verify();
    while (all.next(10));
    expect([before, all.checked(), log.lines]).toEqual([before, ids.length, []]);
    store.close();
  }
});
