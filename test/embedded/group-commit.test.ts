/** A group commit when the disk is full, or when one of its writes fails, on a real database. */
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { CorruptDataError, UnavailableError } from '#core/model/errors.ts';
import { groupCommit } from '#embedded/group-commit.ts';

function database() {
  const open = new DatabaseSync(':memory:');
  onTestFinished(() => open.close());
  open.exec('CREATE TABLE T (V TEXT PRIMARY KEY) STRICT');
  const calls: string[] = [];
  const group = groupCommit({
    database: open,
    path: 'the.db',
    onFailure: () => calls.push('failure'),
    beforeCommit: () => {},
    onCommit: () => calls.push('commit'),
    onRefused: () => calls.push('refused'),
    onRejected: () => calls.push('rejected'),
    makeRoom: () => calls.push('room'),
  });
  const insert = open.prepare('INSERT INTO T VALUES (?)');
  return {
    open,
    calls,
    group,
    insert: (value: string) => group.write(() => insert.run(value).changes),
    values: () =>
      open
        .prepare('SELECT V FROM T ORDER BY V')
        .all()
        .map(({ V }) => V),
  };
}

const statuses = async (all: readonly Promise<unknown>[]) =>
  (await Promise.allSettled(all)).map(({ status }) => status);

test('a group for which the disk has no space is retried once after space was freed', async () => {
  const { open, calls, group } = database();
  open.exec('PRAGMA max_page_count = 10');
  const big = open.prepare('INSERT INTO T VALUES (?)');
  let tries = 0;
  const written = group.write(() => {
    tries += 1;
    if (tries === 2) open.exec('PRAGMA max_page_count = 1000');
    return big.run('x'.repeat(100_000)).changes;
  });
  expect(await written).toBe(1);
  expect(calls).toEqual(['failure', 'room', 'commit']);
});

test('a group that finds no space at all fails as a whole with the code store-full', async () => {
  const { open, calls, insert, values } = database();
  open.exec('PRAGMA max_page_count = 10');
  const [small, big] = await Promise.allSettled([insert('small'), insert('x'.repeat(100_000))]);
  for (const outcome of [small, big]) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(UnavailableError) });
    expect(outcome).toMatchObject({ reason: { code: 'store-full' } });
  }
  expect(calls).toEqual(['failure', 'room', 'failure', 'refused']);
  expect(values()).toEqual([]);
  expect(await insert('later')).toBe(1);
});

test('a write that fails alone does not fail the others', async () => {
  const { calls, group, insert, values } = database();
  const damaged = new CorruptDataError('record-corrupt', 'No.');
  const all = [
    insert('one'),
    group.write(() => {
      throw damaged;
    }),
    insert('one'),
    insert('two'),
  ];
  expect(await statuses(all)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  await expect(all[1]).rejects.toBe(damaged);
  expect(values()).toEqual(['one', 'two']);
  expect(calls).toEqual(['failure', 'rejected', 'failure', 'rejected', 'commit']);
});

test('writes on a closed database are refused as such', async () => {
  const open = new DatabaseSync(':memory:');
  const none = () => {};
  const group = groupCommit({
    database: open,
    path: 'the.db',
    onFailure: none,
    beforeCommit: none,
    onCommit: none,
    onRefused: none,
    onRejected: none,
    makeRoom: none,
  });
  open.close();
  await expect(group.write(none)).rejects.toMatchObject({ code: 'store-closed' });
});

test('a flush with nothing to write begins no transaction', () => {
  const { calls, group } = database();
  group.flush();
  expect(calls).toEqual([]);
});
