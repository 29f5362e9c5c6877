/** One entry that cannot be read, of an index or of what operators changed, is reported, and leaves out no other. */
import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { agentName } from '#core/model/ids.ts';
import { readAllDue } from '#embedded/tables/due-entries.ts';
import { allDue } from '../contracts/pages.ts';
import { cellOf, opened, somewhere, stored } from '../support/stored-data.ts';

const all = { shard: 0, from: 0, to: Number.MAX_SAFE_INTEGER };

/** A text whose type one flipped bit changes to bytes: https://www.sqlite.org/fileformat.html, Record Format. */
function flippedToBytes(path: string, name: string, entry: number, column: number, text: string) {
  const { bytes, cell } = cellOf(path, name, entry);
  // Behind the length of the entry and that of its header.
  const type = cell + 2 + column;
  expect(bytes.readUInt8(type)).toBe(13 + 2 * text.length);
  bytes.writeUInt8(bytes.readUInt8(type) ^ 1, type);
  writeFileSync(path, bytes);
}

describe.each(['one', 'three', 'two'])('in the index Due that of order %s', (damaged) => {
  const ids = ['one', 'three', 'two'];

  async function opensDamaged() {
    // They are due at the same time, so that the index has them in the order of their ids.
    const path = await stored(...ids);
    flippedToBytes(path, 'Due', ids.indexOf(damaged), 1, damaged);
    return opened(path);
  }

  test.each([10, 3, 2])('in pages of %d', async (limit) => {
    const { store, log } = await opensDamaged();
    const found = await allDue(store, { ...all, limit });
    expect(found).toEqual(ids.filter((id) => id !== damaged));
    const fields = expect.objectContaining({ table: 'Processes', row: 'index Due' });
    expect(log.lines).toEqual([{ event: 'store-damaged', fields }]);
  });

  test('in a page without another one, behind which others may be', async () => {
    const { store } = await opensDamaged();
    const found = allDue(store, { ...all, limit: 1 });
    await expect(found).rejects.toThrow(/None of 1 entries can be read/);
  });
});

test('of what operators changed', async () => {
  const path = somewhere();
  const { store } = opened(path);
  const drained = { by: 'olga', at: 5 };
  for (const agent of ['paint', 'print']) {
    await store.agentSettings.store(agentName(agent), { kind: 'drained', value: drained });
  }
  store.close();
  flippedToBytes(path, 'AgentSettings', 0, 2, JSON.stringify(drained));
  const { store: again, log } = opened(path);
  expect([...(await again.agentSettings.read())]).toEqual([['print', { drained }]]);
  const fields = expect.objectContaining({ table: 'AgentSettings', row: null });
  expect(log.lines).toEqual([{ event: 'store-damaged', fields }]);
});

describe('a read of the whole index before a start', () => {
  const read = async (ids: readonly string[], damaged: number | null, limit: number) => {
    const path = await stored(...ids);
    if (damaged !== null) flippedToBytes(path, 'Due', damaged, 1, ids[damaged] ?? '');
    const database = new DatabaseSync(path);
    onTestFinished(() => database.close());
    return () => readAllDue(database, limit);
  };

  test.each([1, 2, 3, 4])('comes to its end in pages of %d', async (limit) => {
    expect(await read(['one', 'three', 'two'], null, limit)).not.toThrow();
  });

  test.each([0, 1, 2])('goes on behind an entry that cannot be read: the one at %d', async (at) => {
    expect(await read(['one', 'three', 'two'], at, 2)).not.toThrow();
    expect(await read(['one', 'three', 'two'], at, 1)).toThrow(/None of 1 entries can be read/);
  });

  test.each([1, 2, 3])('meets an entry that SQLite cannot read, in pages of %d', async (limit) => {
    const path = await stored('one', 'three', 'two');
    const { bytes, cell } = cellOf(path, 'Due', 2);
    // The length of its header: longer than the entry.
    bytes.writeUInt8(0x7f, cell + 1);
    writeFileSync(path, bytes);
    const database = new DatabaseSync(path);
    onTestFinished(() => database.close());
    expect(() => readAllDue(database, limit)).toThrow(/malformed/);
  });
});
