/** A start that is refused because the database file is damaged as a whole changes no file, with a log beside it and without. */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { orderId } from '#core/model/ids.ts';
import { acceptLoss, examineData } from '#embedded/integrity/examine.ts';
import {
  accepted,
  cellOf,
  folder,
  opened,
  pageLost,
  rootOf,
  somewhere,
  stored,
} from '../support/stored-data.ts';

const pageBytes = 4_096;
const ids = (count: number, prefix = 'order') =>
  Array.from({ length: count }, (_, at) => `${prefix}-${at}`);

/** All of it is copied. */
const copied = (path: string): string => {
  const to = folder();
  cpSync(dirname(path), to, { recursive: true });
  return join(to, 'reeve.db');
};

interface Data {
  readonly killed: string;
  readonly ended: string;
  /** The database of the same store, before. */
  readonly older: string;
}

/** So many that the database grows, and with it its first page is in the log. */
const later = 20;

/** The data that a kill leaves, whose log has a part of the pages, and those after a clean end. */
async function data(): Promise<Data> {
  const path = somewhere();
  const first = opened(path);
  await accepted(first.store, ...ids(200));
  first.store.close();
  const older = copied(path);
  const second = opened(path);
  // Only the totals change, so that the file keeps its size.
  for (const _ of ids(20)) await second.store.tryWrite();
  second.store.close();
  const third = opened(path);
  await accepted(third.store, ...ids(later, 'later'));
  const killed = copied(path);
  third.store.close();
  return { killed, ended: copied(path), older };
}

const overwritten = (path: string, from: number, to: number): void => {
  const bytes = readFileSync(path);
  for (let at = from; at < Math.min(to, bytes.length); at += 1) bytes[at] = (at * 7_919) % 251;
  writeFileSync(path, bytes);
};

const hashes = (path: string) =>
  readdirSync(dirname(path))
    .toSorted()
    .map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(dirname(path), name)))
        .digest('hex'),
    ]);

/** What was done to the database, what a start says where a log is beside it, and where none is. */
const harms: readonly (readonly [
  string,
  (path: string, older: string) => unknown,
  RegExp,
  RegExp,
])[] = [
  [
    'it was cut to five pages',
    (path) => truncateSync(path, 20_000),
    /reeve\.db is not whole: \d+ of its \d+ pages are neither in it nor in its log\./,
    /database disk image is malformed/,
  ],
  [
    'a half of it was cut',
    (path) => truncateSync(path, Math.floor(readFileSync(path).length / 8_192) * pageBytes),
    /reeve\.db is not whole: \d+ of its \d+ pages/,
    /database disk image is malformed/,
  ],
  [
    'it is a short text',
    (path) => writeFileSync(path, 'hello\n'),
    /reeve\.db is not whole/,
    /file is not a database/,
  ],
  [
    'it is a text of its size',
    (path) => overwritten(path, 0, Number.POSITIVE_INFINITY),
    /reeve\.db: database disk image is malformed|reeve\.db was overwritten/,
    /file is not a database/,
  ],
  [
    'all of it is zero',
    (path) => writeFileSync(path, Buffer.alloc(readFileSync(path).length)),
    /reeve\.db: database disk image is malformed|reeve\.db was overwritten/,
    /file is not a database/,
  ],
  [
    'it is an older copy',
    (path, older) => copyFileSync(older, path),
    /reeve\.db is an older copy of the data: \S+-wal does not continue it\./,
    /has lost accepted work/,
  ],
];

describe.each(harms)('%s:', (_, harm, withLog, without) => {
  test.each([
    ['beside its log', 'killed', withLog],
    ['after a clean end', 'ended', without],
  ] as const)('a start is refused, and changes no byte, %s', async (_where, kind, says) => {
    const made = await data();
    const path = made[kind];
    expect(existsSync(`${path}-wal`)).toBe(kind === 'killed');
    harm(path, made.older);
    const before = hashes(path);
    const refused = expect.objectContaining({
      code: 'store-damaged',
      message: expect.stringMatching(says),
    });
    for (const _start of [1, 2]) {
      expect(() => opened(path)).toThrow(refused);
      expect(hashes(path)).toEqual(before);
    }
    expect(() => opened(path)).toThrow(/Nothing was changed\. .*reeve restore FILE --yes/);
    const { findings } = examineData(path);
    expect(findings).not.toEqual([]);
    expect(hashes(path)).toEqual(before);
  });
});

test('the database of another Reeve beside the log is refused', async () => {
  const { killed } = await data();
  const other = somewhere();
  const { store } = opened(other);
  await accepted(store, ...ids(300));
  store.close();
  copyFileSync(other, killed);
  const before = hashes(killed);
  expect(() => opened(killed)).toThrow(/reeve\.db is another database: .*Nothing was changed/);
  expect(hashes(killed)).toEqual(before);
});

test('data that SQLite cannot read are continued by no accepted loss, and keep their files', async () => {
  const { killed } = await data();
  truncateSync(killed, 20_000);
  const before = hashes(killed);
  expect(() => acceptLoss(killed)).toThrow(/`reeve check --accept-loss` cannot repair this\./);
  expect(hashes(killed)).toEqual(before);
  expect(examineData(killed)).toEqual({
    orders: null,
    changes: null,
    findings: [{ table: 'database', row: null, reason: expect.stringMatching(/is not whole/) }],
  });
});

test.each(['AgentSettings', 'Changes', 'Due'])(
  'a start that could not read %s is refused before it changes a byte',
  async (name) => {
    const { ended } = await data();
    pageLost(ended, rootOf(ended, name));
    const before = hashes(ended);
    expect(() => opened(ended)).toThrow(
      expect.objectContaining({
        code: 'store-damaged',
        message: expect.stringMatching(
          `^Reeve cannot read ${name} in the state store .*reeve\\.db: SQLite says: database disk image is malformed\\. Nothing was changed`,
        ),
      }),
    );
    expect(hashes(ended)).toEqual(before);
  },
);

test('a start on data whose log lost its content is refused, and leaves the empty log', async () => {
  const { killed } = await data();
  truncateSync(`${killed}-wal`, 0);
  const before = hashes(killed);
  expect(() => opened(killed)).toThrow(/lost accepted work/);
  expect(examineData(killed).findings).not.toEqual([]);
  expect(hashes(killed)).toEqual(before);
});

test('a start whose undelivered changes are not in order is refused before it changes a byte', async () => {
  const path = await stored('one', 'two');
  const { bytes, cell } = cellOf(path, 'Changes', 1);
  // Behind the length of the row, which takes two bytes, its number.
  expect([...bytes.subarray(cell + 1, cell + 3)]).toEqual([expect.any(Number), 2]);
  bytes.writeUInt8(0, cell + 2);
  writeFileSync(path, bytes);
  const before = hashes(path);
  expect(() => opened(path)).toThrow(
    /^Reeve cannot read Changes in the state store .*: The rows are not in order: .* Nothing was changed/,
  );
  expect(hashes(path)).toEqual(before);
});

describe('no data that are whole are refused:', () => {
  async function assertAll(path: string): Promise<void> {
    const { store, log } = opened(path);
    const all = [...ids(200), ...ids(later, 'later')].map(orderId);
    expect((await store.records(all)).size).toBe(200 + later);
    store.close();
    expect([log.lines, examineData(path).findings]).toEqual([[], []]);
  }

  test('a kill while the log was copied, after each page', async () => {
    const { killed } = await data();
    const [from, merged] = [readFileSync(killed), copied(killed)];
    const database = new DatabaseSync(merged);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    const to = readFileSync(merged);
    expect(to.length).toBeGreaterThan(from.length);
    for (let done = pageBytes; done < to.length; done += 5 * pageBytes) {
      const path = copied(killed);
      writeFileSync(path, Buffer.concat([to.subarray(0, done), from.subarray(done)]));
      await assertAll(path);
    }
  });

  test('the log has the one page that was overwritten', async () => {
    const { killed } = await data();
    overwritten(killed, 0, 512);
    await assertAll(killed);
  });
});
