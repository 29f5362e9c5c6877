/** The data of an embedded store on disk for damage tests, in a temporary folder. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import type { ProcessRecord } from '#core/model/record.ts';
import { type SqliteStore, sqliteStore } from '#embedded/sqlite-store.ts';
import { type TestLog, testLog } from './log.ts';
import { claimed, newOrder, succeeded } from './orders.ts';

const now = Date.UTC(2026, 0, 1);

export function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'reeve-stored-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export const somewhere = (): string => join(folder(), 'reeve.db');

/** Closed at the latest at the end of the test. */
export function opened(
  path: string,
  sweepPeriodMs: number = 1_000,
): { readonly store: SqliteStore; readonly log: TestLog } {
  const log = testLog();
  const store = sqliteStore({ path, sweepPeriodMs, log });
  onTestFinished(() => store.close());
  return { store, log };
}

/** Orders with a response channel, so that each has an undelivered change. */
export async function accepted(store: SqliteStore, ...ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const { order, record } = newOrder(id, now, 'shop', `cart-${id}`);
    await store.create(order, record);
  }
}

/** An order submitted at that instant, and processed a millisecond after `at`. */
export async function ended(
  store: SqliteStore,
  id: string,
  submittedAt: number = now,
  at: number = submittedAt,
): Promise<void> {
  const { order, record } = newOrder(id, submittedAt);
  await store.create(order, record);
  let current: ProcessRecord = claimed(record, at);
  await store.commit(current);
  for (const step of ['east', 'west', 'roof']) {
    current = succeeded(current, step, at + 1);
    await store.commit(current);
  }
}

/** The data of these orders, with the store closed. */
export async function stored(...ids: readonly string[]): Promise<string> {
  const path = somewhere();
  const { store } = opened(path);
  await accepted(store, ...ids);
  store.close();
  return path;
}

/** Edits the database as with a tool, while Reeve is stopped. */
export function edited(path: string, sql: string): void {
  const database = new DatabaseSync(path);
  database.exec(sql);
  database.close();
}

const pageBytes = 4_096;

/** The first byte of the first page of that table or index. */
export function rootOf(path: string, name: string): number {
  const database = new DatabaseSync(path);
  const row = database.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name);
  database.close();
  return (z.object({ rootpage: z.int() }).parse(row).rootpage - 1) * pageBytes;
}

/** The bytes of the file, and the first byte of that row or entry in the only page of that table or index. */
export function cellOf(path: string, name: string, at: number) {
  const root = rootOf(path, name);
  const bytes = readFileSync(path);
  const leaves = [0x0d, 0x0a];
  if (!leaves.includes(bytes.readUInt8(root))) throw new RangeError(`${name} has many pages.`);
  return { bytes, cell: root + bytes.readUInt16BE(root + 8 + 2 * at) };
}

/** Simulates a disk error: replaces the text in the first page of that table or index by another of its length. */
export function spoiledOnDisk(path: string, name: string, text: string, other: string): void {
  const from = rootOf(path, name);
  const bytes = readFileSync(path);
  const at = bytes.indexOf(text, from);
  if (at < from || at >= from + pageBytes || text.length !== other.length) {
    throw new RangeError(`${text} is not in the first page of ${name}.`);
  }
  bytes.write(other, at, 'latin1');
  writeFileSync(path, bytes);
}

/** Makes all pages of a table or an index the first or the last one: a query that reads on comes to it again and again. */
export function pagesCrossed(path: string, name: string, kept: 'first' | 'last'): void {
  const root = rootOf(path, name);
  const bytes = readFileSync(path);
  const interior = [0x05, 0x02];
  if (!interior.includes(bytes.readUInt8(root))) throw new RangeError(`${name} has one page.`);
  const cells = Array.from({ length: bytes.readUInt16BE(root + 3) }, (_, cell) => {
    return root + bytes.readUInt16BE(root + 12 + 2 * cell);
  });
  const children = [...cells, root + 8];
  const page = bytes.readUInt32BE(children.at(kept === 'first' ? 0 : -1) ?? root);
  for (const at of children) bytes.writeUInt32BE(page, at);
  writeFileSync(path, bytes);
}

/** The first byte of the first of the pages that have the rows of a table of two levels, or of the last one of them (-1). */
export function leafOf(path: string, name: string, at: 0 | -1 = 0): number {
  const root = rootOf(path, name);
  const bytes = readFileSync(path);
  const interior = [0x05, 0x02];
  if (!interior.includes(bytes.readUInt8(root))) throw new RangeError(`${name} has no two levels.`);
  const pointer = at === 0 ? root + bytes.readUInt16BE(root + 12) : root + 8;
  return (bytes.readUInt32BE(pointer) - 1) * pageBytes;
}

/** Makes the page that holds this byte unreadable for SQLite. */
export function pageLost(path: string, byte: number): void {
  const bytes = readFileSync(path);
  const page = byte - (byte % pageBytes);
  bytes.fill(0, page, page + 8);
  writeFileSync(path, bytes);
}
