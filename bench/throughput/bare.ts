/**
 * What SQLite alone can do: the five durable writes of an order of three steps, by a program without any rule. It has one
 * table, the same durability (WAL, `synchronous=FULL`, group commit), and as many orders at once. Prints one line of JSON.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const [total = 100_000, inFlight = 512] = process.argv.slice(2).map(Number);
const transitions = 4;
/** As long as the record of an order of three steps. */
const text = 'x'.repeat(600);

const directory = mkdtempSync(join(tmpdir(), 'reeve-bare-'));
const database = new DatabaseSync(join(directory, 'bare.db'));
database.exec(`PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA locking_mode=EXCLUSIVE;
  CREATE TABLE Orders (Seq INTEGER PRIMARY KEY, OrderID TEXT NOT NULL UNIQUE, Revision INTEGER NOT NULL, Record TEXT NOT NULL)`);
const insert = database.prepare('INSERT INTO Orders (OrderID, Revision, Record) VALUES (?, 1, ?)');
const update = database.prepare(
  'UPDATE Orders SET Revision = ?, Record = ? WHERE Seq = ? AND Revision = ?',
);
const begin = database.prepare('BEGIN IMMEDIATE');
const commit = database.prepare('COMMIT');

let waiting: { readonly run: () => void; readonly resolve: () => void }[] = [];

function write<Result>(work: () => Result): Promise<Result> {
  return new Promise((resolve) => {
    let result: Result;
    if (waiting.length === 0) setImmediate(flush);
    waiting.push({
      run: () => {
        result = work();
      },
      resolve: () => resolve(result),
    });
  });
}

function flush(): void {
  const group = waiting;
  waiting = [];
  begin.run();
  for (const { run } of group) run();
  commit.run();
  for (const { resolve } of group) resolve();
}

async function order(id: number): Promise<void> {
  const seq = await write(
    () => insert.run(`order-${String(id).padStart(20, '0')}`, text).lastInsertRowid,
  );
  for (let revision = 1; revision <= transitions; revision += 1) {
    const { changes } = await write(() => update.run(revision + 1, text, seq, revision));
    if (changes !== 1) throw new Error(`Order ${id} does not have revision ${revision}.`);
  }
}

let next = 0;
async function orders(count: number): Promise<void> {
  const last = next + count;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (next < last) {
        next += 1;
        await order(next);
      }
    }),
  );
}

await orders(5_000);
const cpuBefore = process.cpuUsage();
const began = performance.now();
await orders(total);
const seconds = (performance.now() - began) / 1_000;
const { user, system } = process.cpuUsage(cpuBefore);
console.log(
  JSON.stringify({
    ordersPerSecond: Math.round(total / seconds),
    cpuMsPerOrder: Math.round((user + system) / total) / 1_000,
  }),
);
database.close();
rmSync(directory, { recursive: true });
