/** `reeve check`, `backup` and `restore` on real files; the backup is of a running Reeve. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { orderId } from '#core/model/ids.ts';
import { type SqliteStore, sqliteStore } from '#embedded/sqlite-store.ts';
import { type DataCommand, dataCommand, dataDirOf } from '#runtime/local/data-commands.ts';
import { databaseIn, socketIn } from '#runtime/local/data-directory.ts';
import { serveControl } from '#runtime/node/control-socket.ts';
import { testLog } from '../support/log.ts';
import { newOrder } from '../support/orders.ts';
import { smallDisk } from '../support/small-disk.ts';
import { pageLost, rootOf } from '../support/stored-data.ts';
import { virtualClock } from '../support/virtual-clock.ts';

function somewhere(name = 'data') {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-data-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const dataDir = join(directory, name);
  mkdirSync(dataDir, { recursive: true });
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
      const { lines, error, ...rest } = await dataCommand(dataDir, command, virtualClock());
      return { ...rest, text: lines.join('\n'), code: error?.code, message: error?.message };
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

test('data whose path is longer than that of a socket may be are backed up', async () => {
  const { dataDir, file, running, reeve } = somewhere(join('d'.repeat(60), 'e'.repeat(60)));
  const links = mkdtempSync(join(tmpdir(), 'reeve-links-'));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(links, { recursive: true });
  });
  vi.stubEnv('TMPDIR', links);
  const notYet = await reeve({ kind: 'backup', file });
  expect(notYet).toMatchObject({ exitCode: 4, code: 'not-running' });
  expect(notYet.message).toContain(socketIn(dataDir));
  const store = running();
  await accept(store, 'one', 'two');
  expect(await reeve({ kind: 'backup', file })).toMatchObject({
    exitCode: 0,
    document: { file, orders: 2 },
  });
  expect(existsSync(socketIn(dataDir))).toBe(true);
  expect(readdirSync(links)).toEqual([]);
  vi.stubEnv('TMPDIR', join(links, 'missing'));
  expect(await reeve({ kind: 'backup', file: `${file}2` })).toMatchObject({
    code: 'file-unusable',
    message: `Cannot make a folder in ${links}/missing: there is no such file or folder.`,
  });
});

test('a backup of the running Reeve is restored, and the former data is kept', async () => {
  const { dataDir, file, running, reeve } = somewhere();
  const store = running();
  await accept(store, 'one', 'two');
  expect(await reeve({ kind: 'backup', file })).toMatchObject({
    exitCode: 0,
    document: { file, orders: 2, changes: 2, findings: [] },
    text: expect.stringMatching(/orders checked +2/),
  });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await accept(store, 'three');
  expect(await reeve({ kind: 'restore', file, yes: true })).toMatchObject({
    exitCode: 3,
    code: 'store-in-use',
    message: expect.stringMatching(/Stop Reeve first/),
  });
  store.close();

  expect(await reeve({ kind: 'restore', file, yes: false })).toMatchObject({
    exitCode: 3,
    code: 'data-exists',
    message: expect.stringMatching(/With --yes, /),
  });
  const restored = await reeve({ kind: 'restore', file, yes: true });
  const kept = expect.stringMatching(/reeve\.db\.replaced-/);
  expect(restored).toMatchObject({
    exitCode: 0,
    document: { file, data: dataDir, orders: 2, changes: 2, kept },
    text: expect.stringMatching(/orders +2\n.*kept as .*Next: start Reeve/s),
  });
  expect(readdirSync(dataDir).filter((name) => name.includes('replaced'))).toHaveLength(2);
  expect(await has(running(), 'one', 'two', 'three')).toEqual(['one', 'two']);
});

test('a backup is refused when the file exists, or when no Reeve runs', async () => {
  const { file, running, reeve } = somewhere();
  const backup = { kind: 'backup', file } as const;
  expect(await reeve(backup)).toMatchObject({
    exitCode: 4,
    code: 'not-running',
    message: expect.stringContaining('with --data; that of `reeve start` is .reeve/shop'),
  });
  running();
  expect(await reeve(backup)).toMatchObject({ exitCode: 0 });
  expect(await reeve(backup)).toMatchObject({ exitCode: 3, code: 'file-exists' });
});

test('the error for a backup that cannot be written names it, and no file is left', async () => {
  const { dataDir, running, reeve } = somewhere();
  running();
  const file = join(dataDir, 'nowhere', 'backup.db');
  expect(await reeve({ kind: 'backup', file })).toMatchObject({
    exitCode: 2,
    code: 'file-unusable',
    message: expect.stringMatching(
      /^Cannot write the backup \/.*nowhere\/backup\.db\.\w{8}\.part: there is no such file or folder\.$/,
    ),
  });

  const disk = smallDisk(1);
  disk.fill(process.pid);
  const full = await reeve({ kind: 'backup', file: join(disk.path, 'backup.db') });
  disk.free(process.pid);
  expect(full).toMatchObject({ exitCode: 4, message: expect.stringContaining(disk.path) });
  expect(readdirSync(disk.path)).toEqual([]);
});

test('a file that comes into being while a backup is checked is not replaced', async () => {
  const { dataDir, file, reeve } = somewhere();
  const log = testLog();
  const store = sqliteStore({ path: databaseIn(dataDir), sweepPeriodMs: 1_000, log });
  onTestFinished(store.close);
  const backup = async (to: string) => {
    await store.backup(to);
    expect(to).toMatch(/backup\.db\.\w{8}\.part$/);
    writeFileSync(file, 'mine');
  };
  onTestFinished(serveControl({ path: socketIn(dataDir), backup, log }));
  const refused = { exitCode: 3, code: 'file-exists' };
  expect(await reeve({ kind: 'backup', file })).toMatchObject(refused);
  expect(readFileSync(file, 'utf8')).toBe('mine');
  expect(readdirSync(dirname(file)).toSorted()).toEqual(['backup.db', 'data']);
});

test('a backup of damaged data is refused with the findings, and no file is left', async () => {
  const { dataDir, file, running, reeve } = somewhere();
  const store = running();
  await accept(store, 'one');
  store.close();
  const database = new DatabaseSync(databaseIn(dataDir));
  database.exec("UPDATE Processes SET Tenant = 'x'");
  database.close();
  running();
  expect(await reeve({ kind: 'backup', file })).toMatchObject({
    exitCode: 3,
    code: 'store-damaged',
    message: expect.stringContaining('No backup was made.'),
    document: { findings: [{ table: 'Processes', row: 1 }] },
  });
  expect(readdirSync(dirname(file))).toEqual(['data']);
});

test('the error for a restore on a full disk names it, and no file is left', async () => {
  const { file, running, reeve } = somewhere();
  const store = running();
  await accept(store, 'one');
  await reeve({ kind: 'backup', file });
  const disk = smallDisk(1);
  disk.fill(process.pid);
  const data = join(disk.path, 'data');
  const restored = await dataCommand(data, { kind: 'restore', file, yes: false }, virtualClock());
  disk.free(process.pid);
  expect(restored).toMatchObject({
    exitCode: 4,
    error: { code: 'disk-full', message: expect.stringContaining(disk.path) },
  });
  expect(existsSync(databaseIn(data))).toBe(false);
});

test.each([
  ['is not there', (file: string) => file],
  [
    'is a folder',
    (file: string) => {
      mkdirSync(file);
      return file;
    },
  ],
])('a restore of a backup that %s names it', async (_, make) => {
  const { file, reeve } = somewhere();
  expect(await reeve({ kind: 'restore', file: make(file), yes: true })).toMatchObject({
    exitCode: 2,
    code: 'file-unusable',
    message: expect.stringContaining(`Cannot read the backup ${file}: `),
  });
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
  expect(restored).toMatchObject({ exitCode: 3, code: 'backup-damaged' });
  expect(readdirSync(dataDir).filter((name) => name.includes('restoring'))).toEqual([]);
  expect(await has(running(), 'one')).toEqual(['one']);
});

test('a file that is not a backup is refused as a damaged backup', async () => {
  const { file, reeve } = somewhere();
  writeFileSync(file, 'x'.repeat(10_000));
  expect(await reeve({ kind: 'restore', file, yes: true })).toMatchObject({
    exitCode: 3,
    message: `The backup ${file} is damaged: SQLite cannot read it: file is not a database. Nothing was changed. Take another backup.`,
  });
});

test('a check names the damage, and is refused while Reeve runs', async () => {
  const { dataDir, running, reeve } = somewhere();
  const check = { kind: 'check', acceptLoss: false } as const;
  expect(await reeve(check)).toMatchObject({ exitCode: 3, code: 'file-missing' });
  const store = running();
  await accept(store, 'one', 'two');
  expect(await reeve(check)).toMatchObject({ exitCode: 3, code: 'store-in-use' });
  store.close();
  expect(await reeve(check)).toMatchObject({
    exitCode: 0,
    document: { file: databaseIn(dataDir), orders: 2, changes: 2, findings: [] },
    text: expect.stringMatching(/changes checked +2/),
  });
  const database = new DatabaseSync(databaseIn(dataDir));
  database.exec(
    "UPDATE Processes SET Tenant = 'x' WHERE Seq = 2; UPDATE Changes SET Change = '' WHERE Seq = 1",
  );
  database.close();
  const reason = 'Its checksum does not agree.';
  expect(await reeve(check)).toMatchObject({
    exitCode: 3,
    code: 'store-damaged',
    message: expect.stringMatching(/^2 things are damaged or missing\. .*reeve restore/),
    document: {
      findings: [
        { table: 'Processes', row: 2, reason },
        { table: 'Changes', row: 1, reason },
      ],
    },
    text: expect.stringMatching(
      /damaged +2\n +table Processes, row 2: .*\n +table Changes, row 1: /,
    ),
  });
});

test('damage outside the tables has its own description, and no order counts as checked', async () => {
  const { dataDir, running, reeve } = somewhere();
  const store = running();
  await accept(store, 'one');
  store.close();
  const check = { kind: 'check', acceptLoss: false } as const;
  rmSync(`${databaseIn(dataDir)}-totals`);
  expect((await reeve(check)).text).toMatch(/the totals of accepted work: There is no totals/);
  writeFileSync(databaseIn(dataDir), 'x'.repeat(10_000));
  expect((await reeve(check)).text).toBe(
    `${databaseIn(dataDir)}\n  damaged           1\n    the file reeve.db: SQLite cannot read it: file is not a database.`,
  );
});

test('data that a start cannot read are not offered to be continued', async () => {
  const { dataDir, running, reeve } = somewhere();
  const first = running();
  await accept(first, 'one', 'two');
  first.close();
  const store = running();
  await accept(store, 'three');
  const path = databaseIn(dataDir);
  const copies = ['', '-wal', '-totals'].map(
    (suffix) => [suffix, readFileSync(path + suffix)] as const,
  );
  store.close();
  for (const [suffix, bytes] of copies) writeFileSync(path + suffix, bytes);
  truncateSync(path, 8_192);
  const refused = { exitCode: 3, code: 'store-damaged' };
  expect(await reeve({ kind: 'check', acceptLoss: false })).toMatchObject({
    ...refused,
    document: { orders: null },
    message:
      '1 thing is damaged or missing. Keep a copy of the data. Then restore a backup with `reeve restore FILE --yes`: a start on these data is refused.',
    text: expect.stringMatching(/the file reeve\.db: .* is not whole: /),
  });
  expect(await reeve({ kind: 'check', acceptLoss: true })).toMatchObject({
    ...refused,
    message: expect.stringMatching(
      / is not whole: .*`reeve check --accept-loss` cannot repair this/,
    ),
  });
  for (const [suffix, bytes] of copies.slice(1)) {
    expect(readFileSync(path + suffix).equals(bytes)).toBe(true);
  }
});

test('data of which a start needs no lost page may be continued', async () => {
  const { dataDir, running, reeve } = somewhere();
  const store = running();
  await accept(store, 'one');
  store.close();
  pageLost(databaseIn(dataDir), rootOf(databaseIn(dataDir), 'Lines'));
  expect(await reeve({ kind: 'check', acceptLoss: false })).toMatchObject({
    ...{ exitCode: 3, code: 'store-damaged', document: { orders: 1, changes: 1 } },
    message: expect.stringMatching(/or continue with the remaining data\.$/),
    text: expect.stringMatching(/table Lines: .* no order with a singleton key is accepted/),
  });
  expect(await has(running(), 'one')).toEqual(['one']);
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
  expect(await reeve({ kind: 'check', acceptLoss: false })).toMatchObject({
    exitCode: 3,
    text: expect.stringMatching(/orders checked +1\n.*Work is missing: it is not the database/s),
  });
  expect(await reeve({ kind: 'check', acceptLoss: true })).toMatchObject({ exitCode: 0 });
  expect(await has(running(), 'three')).toEqual(['three']);
});

test('the data directory is that of the option, or of the environment', () => {
  expect([
    dataDirOf({}),
    dataDirOf({ REEVE_DATA: 'a' }),
    dataDirOf({ REEVE_DATA: 'a' }, 'b'),
  ]).toEqual(['.reeve', 'a', 'b']);
});

test('data that this user may not look at are an unusable file, and no defect', async () => {
  const { dataDir, file, reeve } = somewhere();
  rmSync(dataDir, { recursive: true });
  symlinkSync(dataDir, dataDir);
  const commands: readonly DataCommand[] = [
    { kind: 'check', acceptLoss: false },
    { kind: 'restore', file, yes: true },
    { kind: 'backup', file: join(dataDir, 'backup.db') },
  ];
  writeFileSync(file, 'x');
  for (const command of commands) {
    const outcome = await reeve(command);
    expect(outcome).toMatchObject({ exitCode: 2, code: 'file-unusable' });
    expect(outcome.message).toMatch(/^Cannot .+ \S+: its path has too many links\.$/);
  }
});
