/** A backup of data in use. */
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { copyInUse } from '#embedded/copies/backup.ts';
import { publish } from '#embedded/copies/new-file.ts';
import { examineBackup } from '#embedded/integrity/examine.ts';
import { smallDisk } from '../support/small-disk.ts';
import { accepted, edited, folder, opened, somewhere, stored } from '../support/stored-data.ts';

test('a backup for which its disk has no space leaves no file, and succeeds when there is space', async () => {
  const { store } = opened(somewhere());
  await accepted(store, 'one');
  const disk = smallDisk(1);
  const file = join(disk.path, 'backup.db');
  disk.fill(process.pid);
  const refused = await store.backup(file).catch((error: unknown) => error);
  disk.free(process.pid);
  expect(refused).toMatchObject({ message: expect.stringContaining(file) });
  expect(readdirSync(disk.path)).toEqual([]);
  await store.backup(file);
  expect(readdirSync(disk.path)).toEqual(['backup.db']);
});

/** An error of node:sqlite with this code of SQLite. */
const sqliteError = (errcode: number) => Object.assign(new Error('from SQLite'), { errcode });

/** What a backup does where so many copies fail before one succeeds, and how many were made. */
async function copied(failing: number, errcode: number) {
  const path = await stored('one');
  const database = new DatabaseSync(path);
  const to = join(folder(), 'backup.db');
  let copies = 0;
  const made = copyInUse(database, path, to, (...args) => {
    copies += 1;
    return copies <= failing ? Promise.reject(sqliteError(errcode)) : backup(...args);
  });
  const refused = await made.then(
    () => null,
    (error: unknown) => error,
  );
  database.close();
  return { refused, copies, files: readdirSync(join(to, '..')) };
}

test('a copy that fails without an error of SQLite is made again', async () => {
  expect(await copied(3, 0)).toEqual({ refused: null, copies: 4, files: ['backup.db'] });
});

test.each([
  ['which fails each time without an error', 0, 10],
  ['which fails with one', 10, 1],
])('a backup %s is refused, and leaves no file', async (_, errcode, copies) => {
  const refused = expect.objectContaining({ code: 'backup-failed' });
  expect(await copied(Number.POSITIVE_INFINITY, errcode)).toEqual({ refused, copies, files: [] });
});

test('a backup replaces no file', async () => {
  const { store } = opened(somewhere());
  const file = join(folder(), 'backup.db');
  writeFileSync(file, 'mine');
  await expect(store.backup(file)).rejects.toMatchObject({
    code: 'file-exists',
    message: `${file} exists. Name another file.`,
  });
  expect(readFileSync(file, 'utf8')).toBe('mine');
});

/** A backup whose copy goes on when `goOn` is called, in a folder of its own. */
async function begun(to = join(folder(), 'backup.db')) {
  const path = await stored('one', 'two');
  const database = new DatabaseSync(path);
  onTestFinished(() => database.close());
  const gate = Promise.withResolvers<void>();
  const written = Promise.withResolvers<void>();
  const made = copyInUse(database, path, to, async (...args) => {
    const pages = await backup(...args);
    written.resolve();
    await gate.promise;
    return pages;
  });
  made.catch(() => {});
  await written.promise;
  return { to, made, goOn: gate.resolve, names: () => readdirSync(dirname(to)).toSorted() };
}

const part = expect.stringMatching(/^backup\.db\.[0-9a-f]{8}\.part$/);

test("a backup has its name only when it is complete, and is its owner's alone to read before, too", async () => {
  const { to, made, goOn, names } = await begun();
  expect(names()).toEqual([part]);
  const [name = ''] = names();
  expect(statSync(join(dirname(to), name)).mode & 0o777).toBe(0o600);
  goOn();
  await made;
  expect(names()).toEqual(['backup.db']);
  expect(statSync(to).mode & 0o777).toBe(0o600);
  expect(examineBackup(to)).toMatchObject({ orders: 2, findings: [] });
});

test('two backups of one name at the same time do not mix: the first to be complete gets it', async () => {
  const first = await begun();
  const second = await begun(first.to);
  expect(first.names()).toEqual([part, part]);
  second.goOn();
  await second.made;
  first.goOn();
  await expect(first.made).rejects.toMatchObject({ code: 'file-exists' });
  expect(first.names()).toEqual(['backup.db']);
  expect(examineBackup(first.to)).toMatchObject({ orders: 2, findings: [] });
});

test('a file that comes into being while the backup is made is not replaced', async () => {
  const { to, made, goOn, names } = await begun();
  writeFileSync(to, 'mine');
  goOn();
  await expect(made).rejects.toMatchObject({
    code: 'file-exists',
    message: `${to} exists. Name another file.`,
  });
  expect(readFileSync(to, 'utf8')).toBe('mine');
  expect(names()).toEqual(['backup.db']);
});

test('what a process left that died is deleted once it was not written for an hour, and nothing else is', async () => {
  const directory = folder();
  const to = join(directory, 'backup.db');
  const left = ['backup.db.0123abcd.part', 'backup.db.0123abcd.part.4567cdef.part'];
  const kept = [
    ...['backup.db.part', 'backup.db.0123abcd', 'my-backup.db.0123abcd.part'],
    ...['backup.db-old.0123abcd.part', 'backup.db.89abcdef.part'],
  ];
  const made = Date.now() / 1_000;
  for (const name of [...left, 'backup.db.0123abcd.part-journal', ...kept]) {
    writeFileSync(join(directory, name), '');
    const ageSeconds = name.includes('89abcdef') ? 3_500 : 3_700;
    utimesSync(join(directory, name), made - ageSeconds, made - ageSeconds);
  }
  const { store } = opened(await stored('one'));
  await store.backup(to);
  expect(readdirSync(directory).toSorted()).toEqual(['backup.db', ...kept].toSorted());
});

describe('where the file system knows no second name of a file,', () => {
  const linkless = () => {
    throw Object.assign(new Error('no'), { code: 'EPERM', syscall: 'link' });
  };
  const written = () => {
    const directory = folder();
    const [made, file] = [join(directory, 'made'), join(directory, 'file')];
    writeFileSync(made, 'complete');
    return { made, file };
  };

  test('a part is renamed', () => {
    const { made, file } = written();
    publish(made, file, linkless);
    expect(readFileSync(file, 'utf8')).toBe('complete');
    expect(readdirSync(dirname(file))).toEqual(['file']);
  });

  test('no file is replaced', () => {
    const { made, file } = written();
    writeFileSync(file, 'mine');
    expect(() => publish(made, file, linkless)).toThrow(
      expect.objectContaining({ code: 'file-exists' }),
    );
    expect(readFileSync(file, 'utf8')).toBe('mine');
  });

  test('another error says what the system says', () => {
    const { made, file } = written();
    const full = () => {
      throw Object.assign(new Error('no'), { code: 'ENOSPC', syscall: 'link' });
    };
    expect(() => publish(made, file, full)).toThrow(
      expect.objectContaining({
        code: 'disk-full',
        message: `Cannot write the backup ${file}: its disk is full. Free space on it.`,
      }),
    );
  });
});

test.each([
  ['also one that SQLite takes for a URI', 'file:backup.db'],
  ['also one that it takes for a database in memory', ':memory:'],
])('a backup has the name that was given, %s', async (_, name) => {
  const { store } = opened(await stored('one'));
  const before = process.cwd();
  onTestFinished(() => process.chdir(before));
  process.chdir(folder());
  await store.backup(name);
  expect(readdirSync('.')).toEqual([name]);
  expect(statSync(name).mode & 0o777).toBe(0o600);
  expect(examineBackup(resolve(name))).toMatchObject({ orders: 1, findings: [] });
});

test('a backup ends when its store is closed, and the data can be opened again', async () => {
  const path = await stored('one');
  // More than one batch of pages.
  edited(path, 'CREATE TABLE More AS SELECT zeroblob(2000000) AS V');
  const { store } = opened(path);
  const to = join(folder(), 'backup.db');
  const made = store.backup(to).catch((error: unknown) => error);
  store.close();
  const refused = { code: 'store-closed', message: `The state store ${path} is closed.` };
  expect(await made).toMatchObject(refused);
  await expect(store.backup(to)).rejects.toMatchObject(refused);
  expect(readdirSync(dirname(to))).toEqual([]);
  expect(opened(path).log.lines).toEqual([]);
});
