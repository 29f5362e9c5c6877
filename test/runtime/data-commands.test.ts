/** `reeve check`, `backup` and `restore` on real files, the backup from a Reeve that runs. */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { orderId } from '#core/ids.ts';
import { type SqliteStore, sqliteStore } from '#embedded/sqlite-store.ts';
import { serveControl } from '#runtime/control-socket.ts';
import { type DataCommand, dataCommand, dataDirOf } from '#runtime/data-commands.ts';
import { databaseIn, socketIn } from '#runtime/data-directory.ts';
import { testLog } from '../support/log.ts';
import { newOrder } from '../support/orders.ts';
import { virtualClock } from '../support/virtual-clock.ts';

function somewhere() {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-data-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const dataDir = join(directory, 'data');
  mkdirSync(dataDir);
  return {
    dataDir,
    file: join(directory, 'backup.db'),
    running(): SqliteStore {
      const log = testLog();
      const store = sqliteStore({ path: databaseIn(dataDir), sweepPeriodMs: 1_000, log });
      const stop = serveControl({ path: socketIn(dataDir), backup: store.backup, log });
      onTestFinished(() => {
        stop();
        store.close();
      });
      return store;
    },
    async reeve(command: DataCommand) {
      const said = { stdout: '', stderr: '' };
      const code = await dataCommand(dataDir, command, {
        clock: virtualClock(),
        stdout(text) {
          said.stdout += text;
        },
        stderr(text) {
          said.stderr += text;
        },
      });
      return { code, ...said };
    },
  };
}

async function accept(store: SqliteStore, ...ids: string[]): Promise<void> {
  for (const id of ids) {
    const { order, record } = newOrder(id, Date.UTC(2026, 0, 1), 'shop');
    await store.create(order, record);
  }
}

const has = async (store: SqliteStore, ...ids: string[]) => [
  ...(await store.records(ids.map(orderId))).keys(),
];

test('a backup of the running Reeve is restored, and what was there is kept', async () => {
  const { dataDir, file, running, reeve } = somewhere();
  const store = running();
  await accept(store, 'one', 'two');
  const backup = await reeve({ kind: 'backup', file });
  expect(backup).toMatchObject({ code: 0, stdout: expect.stringMatching(/orders checked +2/) });
  await accept(store, 'three');
  expect((await reeve({ kind: 'restore', file, yes: true })).stderr).toMatch(/Stop Reeve first/);
  store.close();

  const refused = await reeve({ kind: 'restore', file, yes: false });
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/With --yes .*data-exists/),
  });
  expect(await reeve({ kind: 'restore', file, yes: true })).toMatchObject({ code: 0 });
  expect(readdirSync(dataDir).filter((name) => name.includes('replaced'))).toHaveLength(2);
  const restored = running();
  expect(await has(restored, 'one', 'two', 'three')).toEqual(['one', 'two']);
});

test('a backup is refused where there is a file, or where nobody runs', async () => {
  const { file, running, reeve } = somewhere();
  expect(await reeve({ kind: 'backup', file })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/not-running/),
  });
  running();
  expect((await reeve({ kind: 'backup', file })).code).toBe(0);
  expect((await reeve({ kind: 'backup', file })).stderr).toMatch(/file-exists/);
});

test('a damaged backup is not restored', async () => {
  const { dataDir, file, running, reeve } = somewhere();
  const store = running();
  await accept(store, 'one');
  await reeve({ kind: 'backup', file });
  store.close();
  const database = new DatabaseSync(file);
  database.exec("UPDATE Processes SET Tenant = 'x'");
  database.close();
  const restored = await reeve({ kind: 'restore', file, yes: true });
  expect(restored).toMatchObject({ code: 3, stderr: expect.stringMatching(/backup-damaged/) });
  expect(existsSync(`${databaseIn(dataDir)}.restoring`)).toBe(false);
  expect(await has(running(), 'one')).toEqual(['one']);
});

test('a check says what is damaged, and is refused while Reeve runs', async () => {
  const { dataDir, running, reeve } = somewhere();
  const check = { kind: 'check', acceptLoss: false } as const;
  expect(await reeve(check)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/file-missing/),
  });
  const store = running();
  await accept(store, 'one', 'two');
  expect(await reeve(check)).toMatchObject({ code: 2, stderr: expect.stringMatching(/unusable/) });
  store.close();
  expect(await reeve(check)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/changes checked +2/),
  });
  const database = new DatabaseSync(databaseIn(dataDir));
  database.exec(
    "UPDATE Processes SET Tenant = 'x' WHERE Seq = 2; UPDATE Changes SET Change = '' WHERE Seq = 1",
  );
  database.close();
  const { code, stdout } = await reeve(check);
  expect([code, stdout]).toEqual([
    3,
    expect.stringMatching(/damaged +2\n +Processes row 2: .*\n +Changes row 1: /),
  ]);
});

test('lost orders are refused until the loss is accepted', async () => {
  const { dataDir, file, running, reeve } = somewhere();
  const store = running();
  await accept(store, 'one', 'two');
  copyFileSync(`${databaseIn(dataDir)}-totals`, file);
  store.close();
  for (const suffix of ['', '-totals']) rmSync(databaseIn(dataDir) + suffix);
  const younger = running();
  await accept(younger, 'three');
  younger.close();
  copyFileSync(file, `${databaseIn(dataDir)}-totals`);
  expect(await reeve({ kind: 'check', acceptLoss: false })).toMatchObject({ code: 3 });
  expect(await reeve({ kind: 'check', acceptLoss: true })).toMatchObject({ code: 0 });
  expect(await has(running(), 'three')).toEqual(['three']);
});

test('the data directory is the one given, or that of the environment', () => {
  expect([
    dataDirOf({}),
    dataDirOf({ REEVE_DATA: 'a' }),
    dataDirOf({ REEVE_DATA: 'a' }, 'b'),
  ]).toEqual(['.reeve', 'a', 'b']);
});
